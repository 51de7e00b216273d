import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { type AppSettings, withDefaults } from '../../../src/app/environment/app-settings.ts';
import { examineMachine } from '../../../src/cli/doctor/app-and-machine.ts';
import { noOperatorFile } from '../../../src/config/operator/operator-schema.ts';
import { providersIn } from '../../../src/network/model/providers.ts';

afterEach(() => vi.unstubAllEnvs());

/** What doctor says about one thing of this machine, as `level: text`. */
async function says(id: string, settings: Partial<AppSettings> = {}): Promise<readonly string[]> {
  const given = { appId: 1, privateKey: '', ledgerKey: '' };
  const findings = await examineMachine(withDefaults({ ...given, ...settings }));
  return findings.filter((found) => found.id === id).map(({ level, text }) => `${level}: ${text}`);
}

test('a sandbox that works is said, and what it cannot hold', { tags: ['bubblewrap'] }, async () => {
  expect(await says('sandbox')).toEqual(['ok: the sandbox works']);
  expect(await says('sandbox-limits')).toEqual([expect.stringMatching(/^(?:ok: memory|note: .* log says$)/)]);
});

test('a required sandbox that is missing is a problem, another one worth knowing', async () => {
  vi.stubEnv('PATH', '/nonexistent');
  expect(await says('sandbox')).toEqual([
    expect.stringMatching(/^problem: no run can work: .*apt install bubblewrap.*AppArmor/),
  ]);
  expect(await says('sandbox', { sandbox: 'preferred' })).toEqual([
    expect.stringMatching(/^note: agents and verifiers have the permissions of the App, because/),
  ]);
  expect(await says('sandbox', { sandbox: 'off' })).toEqual([expect.stringMatching(/^note: .*switched off/)]);
});

test('Git is looked at, because the App does not start without it', async () => {
  expect(await says('git', { sandbox: 'off' })).toEqual(['ok: Git is installed, and new enough']);
  vi.stubEnv('PATH', '/nonexistent');
  expect(await says('git', { sandbox: 'off' })).toEqual([
    expect.stringMatching(/^problem: the App cannot start: could not run git.*install Git 2\.38 or newer/),
  ]);
});

test('root is worth knowing', async () => {
  onTestFinished(() => void vi.restoreAllMocks());
  // A sandbox would be tried as the user that is only said to run this.
  vi.spyOn(process, 'getuid').mockReturnValue(0);
  expect(await says('user', { sandbox: 'off' })).toEqual([
    expect.stringMatching(/^note: doctor runs as root/),
  ]);
  vi.spyOn(process, 'getuid').mockReturnValue(1000);
  expect(await says('user', { sandbox: 'off' })).toEqual([expect.stringMatching(/^ok: /)]);
});

test('who may run programs here is said', async () => {
  expect(await says('operator-file')).toEqual([expect.stringMatching(/^note: everyone/)]);
  const saysFor = (repositories: readonly string[]) => {
    const bounds = { ...noOperatorFile.bounds, repositories };
    return says('operator-file', { operatorFile: { ...noOperatorFile, bounds } });
  };
  expect(await saysFor(['acme/*', 'other/one'])).toEqual(['ok: runs are for acme/*, other/one only']);
  expect(await saysFor([])).toEqual(['ok: runs are for no repository only']);
  expect(await saysFor(['!acme/secret', '!acme/old-*'])).toEqual([
    'note: runs are for every repository but acme/secret, acme/old-*, and everyone may install the App',
  ]);
});

test('models are named by their hosts, and no key is shown', async () => {
  expect(await says('models')).toEqual([expect.stringMatching(/^note: no key/)]);
  const providers = providersIn({ OPENAI_API_KEY: 'a-key-of-the-operator' }, {});
  expect(await says('models', { providers })).toEqual(['ok: agents reach api.openai.com']);
});

test('targets of notifications are named, and no address is shown', async () => {
  expect(await says('targets')).toEqual([]);
  const target = { private: false, url: 'https://hooks.example.org/whoever-knows-it' };
  const notify = [
    { ...target, name: 'builds', to: 'slack' },
    { ...target, name: 'office', to: 'teams' },
  ] as const;
  expect(await says('targets', { operatorFile: { ...noOperatorFile, notify } })).toEqual([
    'ok: runs can notify builds (slack), office (teams); all of their variables are set; `coxswain notify --test` tries them',
  ]);
});

test.runIf(/^v(?:20|22\.(?:\d|1\d|20)|23)\./.test(process.version))(
  'a Node.js that does not use the proxy is worth knowing',
  async () => {
    const version = process.version.slice(1);
    expect(await says('node-proxy')).toEqual([expect.stringContaining(`Node.js ${version} reaches no host`)]);
  },
);
