import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { visible } from '../../src/text/characters.ts';
import { eventually } from './eventually.ts';
import { terminalOf } from './terminal.ts';
import { type FixtureWithRuns, startFixtureWithRuns } from './waiting-runs.ts';

let given: FixtureWithRuns;

beforeAll(async () => {
  given = await startFixtureWithRuns();
});

afterAll(() => given.fixture.end());

test('where nobody can press keys, it prints a line for each event until Ctrl-C', async () => {
  const { fixture, next } = given;
  const pull = next();
  const run = `acme/widgets#${pull.number}`;
  const grace = terminalOf(fixture, fixture.grace);
  const [people, script, all] = [
    grace.start(['watch', '--run', run]),
    grace.start(['watch', '--run', run, '-o', 'json']),
    grace.start(['watch', '--run', 'all', '-o', 'json']),
  ];
  await eventually(
    'where it stands',
    () => people.said().includes(`${run}: Waiting for approval`) || undefined,
  );
  await eventually('all that wait', () => all.said().includes(`"run":"${run}"`) || undefined);
  await fixture.ada.says(pull, `/approve ${await pull.head()}`);
  await eventually(
    'the approval, for people',
    () => /approval received by ada\n/.test(people.said()) || undefined,
  );
  await eventually(
    'the approval, for scripts',
    () => script.said().includes('approval_received') || undefined,
  );
  for (const running of [people, script, all]) running.signal('SIGINT');
  expect((await people.ended).code).toBe(130);
  const { out } = await script.ended;
  const news = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(news[0]).toMatchObject({ event: 'approval_received', run, actor: 'ada' });
  await all.ended;
});

/** `script` makes a pseudo-terminal. */
const hasScript = spawnSync('script', ['--version']).status === 0;

test.runIf(hasScript)('in a terminal of 40 columns, keys settle it once they were confirmed', async () => {
  const { fixture, next } = given;
  const pull = next();
  const desk = deskOf(['watch', '--run', `acme/widgets#${pull.number}`]);
  await desk.shows('Status: awaiting_approval');
  desk.press('n');
  await desk.shows('Why?');
  desk.press('Not so\r');
  await desk.shows('/reject Not so');
  desk.press('\u001b');
  await desk.shows('[y] approve');
  desk.press('y');
  await desk.shows(`/approve ${(await pull.head()).slice(0, 20)}`);
  desk.press('\r');
  await desk.shows('Approved by ada');
  desk.press('h');
  await desk.shows('/pause');
  desk.press('x');
  desk.press('q');
  expect(await desk.ended).toBe(0);
  expect(desk.said().trimEnd().endsWith(restored)).toBe(true);
  const lines = desk
    .said()
    .split('\u001b[H')
    .flatMap((page) => page.split('\n'));
  for (const line of lines) expect([...visible(line).trimEnd()].length).toBeLessThanOrEqual(40);
  const { data } = await fixture.ada.octokit.rest.issues.listComments({
    ...{ owner: 'acme', repo: 'widgets', issue_number: pull.number },
  });
  const said = data.filter(({ user }) => user?.login === 'ada').map(({ body }) => body);
  expect(said).toEqual([`/approve ${await pull.head()}`]);
});

test.runIf(hasScript)('it shows all that wait, and the terminal is as before after Ctrl-C', async () => {
  const desk = deskOf(['watch', '--run', 'all']);
  await desk.shows('> acme/widgets#');
  desk.press('\u001b[B');
  desk.press('a');
  // There is nothing to allow, which is said before anything is posted.
  await desk.shows('allow');
  desk.press('\u0003');
  expect(await desk.ended).toBe(130);
  expect(desk.said().trimEnd().endsWith(restored)).toBe(true);
});

/** Shows the cursor, and the screen as it was. */
const restored = '\u001b[?25h\u001b[?1049l';

/** A pseudo-terminal of 40 columns in which Ada runs a command. */
function deskOf(args: readonly string[]) {
  const { forge, ada, variables } = given.fixture;
  const home = mkdtempSync(join(variables['home'] ?? '', 'desk-'));
  const quoted = [process.execPath, inject('app'), ...args].map((each) => `'${each}'`).join(' ');
  const child = spawn('script', ['-qefc', `stty cols 40 rows 30; exec ${quoted}`, '/dev/null'], {
    cwd: home,
    env: {
      ...{ PATH: process.env['PATH'], HOME: home, TMPDIR: home, TERM: 'xterm', SHELL: '/bin/sh' },
      ...{ GH_HOST: new URL(forge.url).host, GH_ENTERPRISE_TOKEN: ada.token },
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let all = '';
  let seen = 0;
  child.stdout.on('data', (text) => {
    all += String(text);
  });
  return {
    said: () => all,
    press: (keys: string) => {
      seen = all.length;
      child.stdin.write(keys);
    },
    /** Waits until something is shown that was not there when a key was pressed last. */
    shows: (text: string) =>
      eventually(text, () => all.slice(seen).includes(text) || undefined, {
        instead: () => all.slice(-3000),
      }),
    ended: once(child, 'close').then(() => child.exitCode),
  };
}
