import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type AppFixture, expectNoProblems, startAppFixture } from './app-fixture.ts';
import type { PullClient } from './pull-client.ts';
import { type Terminal, terminalOf } from './terminal.ts';

/** People settle runs from a terminal: the program as it is built, against the App and a whole GitHub. */
let fixture: AppFixture;
let ada: Terminal;

beforeAll(async () => {
  fixture = await startAppFixture();
  ada = terminalOf(fixture, fixture.ada);
});

afterEach(() => expectNoProblems(fixture));
afterAll(() => fixture?.end());

/** A run that waits for an approval, and how the terminal names it. */
async function waiting(
  task = 'Make it fine',
): Promise<{ pull: PullClient; run: readonly string[]; head: string }> {
  const pull = await fixture.ada.starts(task);
  const { head_sha: head } = await pull.waitForPhase('awaiting_approval');
  return { pull, run: ['--run', `acme/widgets#${pull.number}`], head };
}

test('a run is steered, and approved at the head that was shown', async () => {
  const { pull, run, head } = await waiting();
  const steered = await ada.run(['steer', '-p', 'also mind the empty list', ...run]);
  expect(steered).toEqual({
    code: 0,
    err: '',
    out: expect.stringMatching(
      /^acme\/widgets#\d+: [\s\S]*\nWatch it: coxswain watch --run acme\/widgets#\d+\n$/,
    ),
  });
  const { head_sha } = await pull.waitForPhase('awaiting_approval', { iteration: 1 });
  expect(head_sha).not.toBe(head);
  const old = await ada.run(['approve', '--sha', head, ...run]);
  expect(old).toEqual({
    code: 1,
    out: '',
    err: expect.stringContaining(`the head of acme/widgets#${pull.number} is ${head_sha}, and not ${head}`),
  });
  const unconfirmed = await ada.run(['approve', ...run]);
  expect(unconfirmed).toMatchObject({ code: 2, out: '', err: expect.stringContaining('--yes') });
  const approved = await ada.run(['approve', '--yes', ...run, '-o', 'json']);
  expect(approved).toMatchObject({ code: 0, err: expect.stringContaining(`Commit: ${head_sha}\n`) });
  expect(approved.err).toContain('Risk: low\n');
  expect(JSON.parse(approved.out)).toMatchObject({
    ...{ run: `acme/widgets#${pull.number}`, action: 'approve', status: 'accepted', head_sha },
    pull_request: expect.stringMatching(/\/acme\/widgets\/pull\/\d+$/),
  });
  const { events } = await pull.ledger();
  expect(events.findLast(({ type }) => type === 'said')).toMatchObject({
    command: { type: 'approve', sha: head_sha, despite: [] },
    by: { login: 'ada' },
    source: { from: 'comment' },
  });
});

describe('nothing is posted', () => {
  let waits: Awaited<ReturnType<typeof waiting>>;
  beforeAll(async () => {
    waits = await waiting();
  });

  test.each([
    ['with nothing that anybody sees', ['reject', '-m', '\u200b'], 2, 'or after -m'],
    ['that is read as an option', ['steer', '-p', '--now do it'], 2, 'would be'],
    ['without a text', ['steer'], 2, 'it needs words: write them behind the command, or after -p'],
    ['without a reason', ['reject'], 2, 'or after -m'],
    ['that is not available', ['answer', '1'], 1, 'The agent is not asking anything now'],
    ['that is not interrupted', ['resolve', 'retry'], 1, 'is not interrupted'],
    ['with a number that is none', ['undo', 'two'], 2, 'expected the number of an iteration'],
    ['with a field that does not exist', ['pause', '-o', 'json=rum'], 2, 'expected some of run, action'],
    ['with a time that is none', ['pause', '--wait', 'soon'], 2, '--wait is "soon": expected a time'],
    [
      'with an unknown task',
      ['retry', '-f', '-'],
      2,
      'descripton (line 1): expected description (did you mean that?)',
    ],
  ])('%s', async (_, argv, code, message) => {
    const { pull, run } = waits;
    const before = await pull.details();
    const input = 'descripton: Take the clock of the server.\n';
    const ended = await ada.run([...argv, ...run], { input });
    expect(ended).toEqual({ code, out: '', err: expect.stringContaining(message) });
    expect((await pull.details()).comments).toBe(before.comments);
  });

  test('by somebody who may not, or on what is no run', async () => {
    const { run } = waits;
    const grace = terminalOf(fixture, fixture.grace);
    expect(await grace.run(['pause', ...run])).toMatchObject({
      code: 1,
      err: expect.stringContaining('requires write on this repository, but your role is read'),
    });
    expect(await ada.run(['pause', '--run', 'acme/widgets#999'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('there is no such repository or run, or your token cannot see it'),
    });
    expect(await ada.run(['pause', ...run], { env: { GH_ENTERPRISE_TOKEN: 'ghp_revoked' } })).toMatchObject({
      code: 1,
      err: expect.stringContaining('your token is expired or revoked: run `gh auth login`'),
    });
    expect(await ada.run(['pause', ...run], { env: { GH_HOST: '127.0.0.1:9' } })).toMatchObject({
      code: 3,
      err: expect.stringContaining('GitHub cannot be reached'),
    });
  }, 60_000);
});

test('what Coxswain has not taken up in time is said to be posted, and Ctrl-C does not wait', async () => {
  const { pull, run } = await waiting();
  await fixture.app.stop();
  const late = await ada.run(['pause', '--wait', '1s', ...run]);
  expect(late).toEqual({
    code: 4,
    out: '',
    err: expect.stringMatching(
      /posted http\S+; Coxswain has not taken it up yet: coxswain status --run acme\/widgets#\d+\n$/,
    ),
  });
  const posted = (await pull.details()).comments;
  const running = ada.start(['pause', ...run]);
  await expect.poll(async () => (await pull.details()).comments, { timeout: 20_000 }).toBe(posted + 1);
  running.signal('SIGINT');
  expect(await running.ended).toMatchObject({
    code: 130,
    err: expect.stringMatching(/posted http\S+, and not waited for\n/),
  });
  await fixture.start();
}, 60_000);

test('a failed task is retried, replaced and given up, as an interrupt is resolved', async () => {
  const pull = await fixture.ada.starts('Make it worse. agent: red');
  await pull.waitForPhase('awaiting_resolution');
  const run = ['--run', `${pull.number}`];
  const clone = join(ada.home, 'clone');
  execFileSync('git', ['init', '--quiet', clone]);
  execFileSync('git', ['remote', 'add', 'origin', `${fixture.forge.url}/acme/widgets.git`], { cwd: clone });
  const retried = await ada.run(
    ['resolve', 'retry', '-p', 'Make it fine. agent: red-first', '-o', 'json', ...run],
    { cwd: clone },
  );
  expect({ ...JSON.parse(retried.out), code: retried.code }).toMatchObject({
    status: 'resumed',
    action: 'retry',
    code: 0,
  });
  await pull.waitForPhase('awaiting_approval');
}, 60_000);
