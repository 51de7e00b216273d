import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from './eventually.ts';
import { type Terminal, terminalOf } from './terminal.ts';
import { type FixtureWithRuns, startFixtureWithRuns } from './waiting-runs.ts';

let given: FixtureWithRuns;
let grace: Terminal;
let server: readonly string[];

beforeAll(async () => {
  given = await startFixtureWithRuns();
  grace = terminalOf(given.fixture, given.fixture.grace);
  server = ['--server', given.fixture.app.url];
});

afterAll(() => given.fixture.end());

test('a server says the same of a run as GitHub and Git do', async () => {
  const run = `acme/widgets#${given.next().number}`;
  for (const command of ['status', 'why', 'diff', 'logs', 'history', 'audit']) {
    const alone = await grace.run([command, '--run', run]);
    const asked = await grace.run([command, '--run', run, ...server]);
    expect({ command, ...asked }).toEqual({ command, ...alone });
    expect(asked.code).toBe(0);
  }
  const inbox = await grace.run(['inbox', '-o', 'json=run,trust', ...server]);
  expect(JSON.parse(inbox.out)).toContainEqual({ run, trust: 'verified' });
  const absent = await grace.run(['status', '--run', 'acme/widgets#4711', ...server]);
  expect(absent).toMatchObject({ code: 1, out: '' });
  expect(await grace.run(['diff', '--run', run, '--max-lines', '7', ...server])).toMatchObject({ code: 1 });
});

test('a server tells at once what happens', async () => {
  const { fixture, next } = given;
  const pull = next();
  const run = `acme/widgets#${pull.number}`;
  const watching = grace.start(['watch', '--run', run, ...server]);
  await eventually(
    'where it stands',
    () => watching.said().includes(`${run}: awaiting_approval`) || undefined,
    {
      instead: watching.said,
    },
  );
  await fixture.ada.says(pull, '/cancel');
  expect(await watching.ended).toMatchObject({ code: 0, out: expect.stringContaining('run finished') });
  const over = await grace.run(['watch', '--run', run, ...server]);
  expect(over).toMatchObject({ code: 0, out: `${run}: cancelled\n` });
});
