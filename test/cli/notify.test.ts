import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { runCommand } from '../../src/cli/program.ts';
import { receiver, secret, verified } from '../notify/receiver.ts';
import { heard } from './heard.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** Runs `coxswain notify` with this operator's file. */
async function notify(file: string | undefined, ...argv: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'coxswain-notify-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'operator.yml');
  if (file !== undefined) writeFileSync(path, file);
  vi.stubEnv('COXSWAIN_OPERATOR_FILE', file === undefined ? '' : path);
  vi.stubEnv('BUILDS_SECRET', secret);
  vi.stubEnv('TEAM_TOKEN', 'xoxb-1');
  const said = heard();
  const code = await runCommand(['notify', ...argv]);
  return { code, ...said };
}

const fileWith = (one: string, other: string) => `version: 1
notify:
  - { name: builds, to: webhook, url: '${one}', secret_env: BUILDS_SECRET, private: true }
  - { name: office, to: teams, url: '${other}', private: true }
  - { name: team, to: slack, channel: C0123456789, token_env: TEAM_TOKEN }
`;

test('the targets are listed, and nothing of their addresses but the host', async () => {
  const { code, out } = await notify(
    fileWith('https://builds.corp/secret', 'https://office.corp:8443/?secret'),
  );
  expect(code).toBe(0);
  expect(out).toMatchInlineSnapshot(`
    "name    to       where
    builds  webhook  builds.corp
    office  teams    office.corp:8443
    team    slack    channel C0123456789
    "
  `);
});

test('a test is sent to one, and to the one that is named alone', async () => {
  const [one, other] = [await receiver(), await receiver()];
  const { code, out } = await notify(fileWith(one.url, other.url), '--test', 'builds');
  expect([code, out]).toEqual([0, 'builds has taken the message\n']);
  const [received] = one.received;
  if (received === undefined) throw new Error('nothing was received');
  expect(verified(received)).toEqual({
    type: 'test',
    timestamp: expect.stringMatching(/Z$/),
    data: {
      ...{ event: 'test', time: expect.any(String), title: 'Coxswain: a test', url: 'https://github.com' },
      text: 'The runs of repositories that name `builds` under `notify` will be told of here.',
    },
  });
  expect(other.received).toEqual([]);
});

test('one that does not take it is told with why, and the others are tried all the same', async () => {
  const one = await receiver();
  const other = await receiver((response) => void response.writeHead(404).end());
  const { code, out } = await notify(fileWith(one.url, other.url).replace(/.*name: team.*\n/, ''), '--test');
  expect(code).toBe(1);
  expect(out.split('\n').toSorted()).toEqual([
    '',
    'builds has taken the message',
    `office has not: 127.0.0.1:${other.port} answered 404`,
  ]);
});

test('a name that no target has is a mistake', async () => {
  const { code, err } = await notify(
    fileWith('https://builds.corp/', 'https://office.corp/'),
    '--test',
    'bilds',
  );
  expect(code).toBe(2);
  expect(err).toContain('coxswain notify: the target is "bilds": did you mean builds?');
});

test.each([
  [undefined, 'COXSWAIN_OPERATOR_FILE is not set; it names the file with'],
  ['version: 1\n', '/operator.yml has nothing under'],
])('without a target there is nothing to test', async (file, why) => {
  const { code, out, err } = await notify(file, '--test');
  expect([code, out]).toEqual([1, '']);
  expect(err).toMatch(/^coxswain notify: there are no targets: /);
  expect(err).toContain(`${why} \`notify\`, as in notify: [{name: builds, to: slack, url_env: BUILDS_URL}]`);
});

test('a file with a problem is told as the App tells it', async () => {
  const { code, err } = await notify(
    "version: 1\nnotify: [{ name: x, to: teams, url: 'http://a.example' }]\n",
  );
  expect(code).toBe(1);
  expect(err).toContain('which has a problem:');
});
