import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { lookAt } from '../../src/cli/doctor.ts';
import { runCommand } from '../../src/cli/program.ts';
import { ledgerKey } from '../ledger/identity.ts';
import { type AppFixture, startAppFixture } from './app-fixture.ts';
import type { PullClient } from './pull-client.ts';

const name = 'acme/widgets';

/** What an operator sees of the key `test` of an open run, while replacing it by the key `next`. */
let fixture: AppFixture;
let pull: PullClient;

const newKey = `next:${Buffer.alloc(32, 8).toString('base64')}`;

beforeAll(async () => {
  fixture = await startAppFixture({ unchecked: true });
  pull = await fixture.ada.starts('Make it fine');
  await pull.waitForPhase('awaiting_approval');
  await fixture.app.stop();
});

afterAll(() => fixture?.end());

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** Runs `coxswain seal` with this setting. */
async function seal(setting: string, ...argv: readonly string[]): Promise<{ code: number; out: string }> {
  const variables = { ...fixture.variables, COXSWAIN_LEDGER_KEY: setting, LOG_LEVEL: 'silent' };
  for (const [variable, value] of Object.entries(variables)) vi.stubEnv(variable, value);
  let out = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += String(text);
    return true;
  });
  const code = await runCommand(['seal', ...argv]);
  vi.restoreAllMocks();
  return { code, out };
}

/** What doctor says of the keys, and of the ledgers of the repository. */
async function doctor(setting: string): Promise<readonly string[]> {
  const examined = await lookAt({ ...fixture.variables, COXSWAIN_LEDGER_KEY: setting }, name);
  const findings = examined.flatMap((each) => each.findings);
  return findings
    .filter(({ id }) => id === 'ledger-key' || id === 'ledgers')
    .map(({ level, text }) => `${level}: ${text}`);
}

const run = () => `${name}#${pull.number}`;

describe('when the first key has sealed every open run', () => {
  test('coxswain seal names it, and the keys that can be removed', async () => {
    expect(await seal(ledgerKey)).toEqual({
      code: 0,
      out: 'All open runs are sealed with `test`, the first key.\n',
    });
    expect(await seal(`${ledgerKey},${newKey}`)).toEqual({
      code: 0,
      out:
        'All open runs are sealed with `test`, the first key. ' +
        'Also known: `next`, which seals nothing in these runs.\n',
    });
  });

  test('doctor says what the setting is, and what the ledgers are sealed with', async () => {
    expect(await doctor(`${ledgerKey},${newKey},!gone`)).toEqual([
      'ok: new entries are sealed with test; also believed: next; lost: gone',
      'ok: all open runs of the App are sealed with test',
    ]);
  });
});

describe('when another key has sealed an open run', () => {
  test.each([
    ['that is unknown', newKey, /The key `test` is not in COXSWAIN_LEDGER_KEY\. Add it; if it is gone, /],
    [
      'that is retired',
      `${newKey},-${ledgerKey}`,
      /The key `test` is retired, but this run is open\. Remove the - before it/,
    ],
    ['that is lost', `${newKey},!test`, /The key `test` is declared lost\. .* \/resume/],
  ])('%s, coxswain seal says what to do, and exits with 1', async (_, setting, step) => {
    const { code, out } = await seal(setting);
    expect(code).toBe(1);
    expect(out).toMatch(/^New entries are sealed with `next`, the first key\.\nCannot be read:\n/);
    expect(out).toMatch(new RegExp(`^ {2}${run()}\tsealed with test\t[0-9a-f]{12}$`, 'm'));
    expect(out).toMatch(step);
    expect(out).not.toContain('Can be sealed');
  });

  test.each([
    ['unknown', newKey, /cannot be believed: the key `test` is not in COXSWAIN_LEDGER_KEY/],
    [
      'retired',
      `${newKey},-${ledgerKey}`,
      /cannot be believed: the key `test` is retired, but this run is open/,
    ],
    ['lost', `${newKey},!test`, /cannot be believed: the key `test` is declared lost/],
  ])('that is %s, doctor finds a problem', async (_, setting, problem) => {
    const [, ledgers] = await doctor(setting);
    expect(ledgers).toMatch(problem);
    expect(ledgers).toMatch(/^problem: the ledger of acme\/widgets#\d+ cannot/);
  });

  test('that is known, it can be sealed with the first', async () => {
    const setting = `${newKey},${ledgerKey}`;
    expect(await doctor(setting)).toContainEqual(`note: ${run()} is sealed with test`);
    const listed = await seal(setting);
    expect(listed.code).toBe(0);
    expect(listed.out).toMatch(/^Can be sealed with it:$/m);
    expect(listed.out).toMatch(
      new RegExp(`^ {2}${run()}\tawaiting_approval\tsealed with test\t[0-9a-f]{12}$`, 'm'),
    );
    expect(listed.out).toMatch(/^Nothing was changed\. With --yes, /m);
    const sealed = await seal(setting, '--yes');
    expect(sealed.out).toMatch(/^Sealed with it:$/m);
    expect(sealed.code).toBe(0);
    expect((await seal(setting)).out).toMatch(/^All open runs are sealed with `next`/);
  });
});
