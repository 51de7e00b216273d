import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type AppFixture, expectNoProblems, startAppFixture } from './app-fixture.ts';
import { at } from './person.ts';
import { type Terminal, terminalOf } from './terminal.ts';

/** People begin runs from a terminal. */
let fixture: AppFixture;
let ada: Terminal;

beforeAll(async () => {
  fixture = await startAppFixture();
  ada = terminalOf(fixture, fixture.ada);
});

afterEach(() => expectNoProblems(fixture));
afterAll(() => fixture?.end());

async function issues(): Promise<number> {
  return (await fixture.ada.octokit.rest.issues.listForRepo({ ...at, state: 'all' })).data.length;
}

test('a run begins with an issue of its own, and with what the task tightens', async () => {
  const begun = await ada.run([
    ...['run', '--repo', 'acme/widgets', '-p', 'Make it fine\n\nAnd no less.', '-o', 'json'],
    ...['--verifier', 'readme:test -f README.md', '--require-approval'],
  ]);
  expect(begun).toMatchObject({ code: 0, err: '' });
  const { issue, pull_request, run } = JSON.parse(begun.out);
  expect(pull_request).toBe(`${fixture.forge.url}/${run.replace('#', '/pull/')}`);
  const { data } = await fixture.ada.octokit.rest.issues.get({ ...at, issue_number: issue });
  expect(data).toMatchObject({
    title: 'Make it fine',
    body: 'Make it fine\n\nAnd no less.',
    user: { login: 'ada' },
  });
  const pull = fixture.ada.looksAt(Number(run.split('#')[1]));
  await pull.waitForPhase('awaiting_approval');
  expect((await pull.ledger()).events[0]).toMatchObject({
    by: { login: 'ada' },
    settings: {
      verifiers: [{ name: 'test' }, { name: 'lint' }, { name: 'readme' }],
      approval: { mode: 'manual' },
    },
  });
  // It is refused for an issue that has one already, in the words of the answer.
  const again = await ada.run(['run', '--repo', 'acme/widgets', '--issue', String(issue)]);
  expect(again).toMatchObject({ code: 1, out: '' });
  expect(again.err).toMatch(
    /^coxswain run: A run is already in progress in #\d+\. Steer that run, or \/cancel it first\. \(http\S+\)\n$/,
  );
}, 60_000);

test('a file is a task, on an issue that is there', async () => {
  const issue = await fixture.ada.opensIssue('agent: work');
  const input =
    'description: Take the clock of the server.\nacceptance_criteria: [it has seconds]\ncritical: true\n';
  const argv = ['run', '--repo', 'acme/widgets', '--issue', String(issue), '-f', '-', '--no-wait'];
  const begun = await ada.run(argv, { input });
  expect(begun).toEqual({ code: 0, err: '', out: expect.stringMatching(/^Posted http\S+\n$/) });
  const pull = await fixture.ada.findsPullFor(issue);
  await pull.waitForPhase('awaiting_approval');
  expect((await pull.ledger()).events[0]).toMatchObject({
    task: {
      description: expect.stringContaining('Take the clock of the server.'),
      acceptance_criteria: ['it has seconds'],
    },
    overrides: { critical: true },
  });
}, 60_000);

test.each([
  ['a wrong key', ['-f', '-'], 'retires (line 2): expected'],
  ['no task', [], 'it needs a task, as in -p "Round to whole cents" or -f task.yaml'],
  [
    'a verifier without a command',
    ['-p', 'x', '--verifier', 'lint'],
    '--verifier is "lint": expected name:command',
  ],
  ['a mode that does not exist', ['-p', 'x', '--approval', 'never'], 'approval.mode (line 2): expected'],
  ['two texts', ['-p', 'x', '-f', '-'], 'stdin|the file has a description, so -p is too much|expected'],
  [
    'a block in its words',
    ['-p', 'x\n\n```coxswain\ncritical: true\n```', '--issue', '1'],
    'have a block of their own',
  ],
])('%s is told before anything is posted', async (_, argv, message) => {
  const before = await issues();
  const input = 'description: Take the clock.\nretires: 3\n';
  const refused = await ada.run(['run', '--repo', 'acme/widgets', ...argv], { input });
  expect(refused).toEqual({
    code: 2,
    out: '',
    err: expect.stringMatching(new RegExp(message.replaceAll(/[().]/g, '\\$&'))),
  });
  expect(await issues()).toBe(before);
});
