import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { problemsIn } from '../app/ledger-content.ts';
import { ActionsFixture, at, name } from './actions-fixture.ts';
import { Barrier } from './barrier.ts';
import { succeedingAgent } from './repository.ts';
import type { RunningStep } from './runner.ts';

// Every job is a separate process with Git, an agent and verifiers.
let fixture: ActionsFixture;
let barrier: Barrier;
/** A job whose agent has begun, and the number of its pull request. */
let job: RunningStep;
let number: number;

/** The id of its workflow run: the first of the fixture. */
const run_id = 1001;

beforeEach(async () => {
  barrier = await Barrier.start();
  fixture = await ActionsFixture.start({ files: barrier.files, listening: false });
  await fixture.labeledIssue();
  job = fixture.startForLastEvent();
  await barrier.reached;
  const { data } = await fixture.ada.rest.pulls.list({ ...at, state: 'open' });
  number = data[0]?.number ?? 0;
});
afterEach(async () => {
  await barrier.close();
  await fixture.end();
});

/** Ends the job as a lost machine does: nothing of it is told to anyone but GitHub. */
async function lose(): Promise<void> {
  job.child.kill('SIGKILL');
  expect(await fixture.onlyFinishedJob()).toMatchObject({ code: null });
  await fixture.forge.seed.commit(name, succeedingAgent);
  fixture.forge.requests.clear();
}

/** How often GitHub was asked about a workflow run. */
function looks(): number {
  return fixture.forge.requests.api.filter(({ route }) => route.includes('/actions/runs/')).length;
}

const atWork = { outputs: { phase: 'working' } };
const done = { code: 0, outputs: { phase: 'awaiting_approval' } };

describe('the work of a job that was killed', () => {
  test('is done by the next sweep as soon as GitHub says that its workflow run has ended', async () => {
    fixture.losesRunners = true;
    await lose();
    expect(await fixture.sweep()).toMatchObject(atWork);
    await fixture.forge.seed.setWorkflowRun(name, { id: run_id, status: 'completed', conclusion: 'failure' });
    expect(await fixture.sweep()).toMatchObject(done);
    expect(await fixture.block(number)).toMatchObject({ attempt: 1, iteration: 0 });
    const ledger = await fixture.ledger(number);
    expect(problemsIn(ledger)).toEqual([]);
    expect(ledger.events.filter(({ type }) => type === 'hold_lost')).toHaveLength(1);
  });

  test('is done by a job for a comment, too', async () => {
    await lose();
    fixture.listening = true;
    await fixture.comment(number, '/status');
    expect(await fixture.onlyFinishedJob()).toMatchObject({ event: 'issue_comment', ...done });
  });

  test('is done by its workflow run when that is run again, without asking', async () => {
    await lose();
    const again = { runId: run_id, environment: { GITHUB_RUN_ATTEMPT: '2' } };
    expect(await fixture.sweep(again)).toMatchObject(done);
    expect(looks()).toBe(0);
  });

  test('is done by another job while its workflow run is run again', async () => {
    await lose();
    await fixture.forge.seed.setWorkflowRun(name, { id: run_id, status: 'in_progress', run_attempt: 2 });
    expect(await fixture.sweep()).toMatchObject(done);
  });

  test('waits for its lease to expire where the workflow must not read Actions, and the log says so', async () => {
    const { actions: _, ...others } = fixture.permissions;
    fixture.permissions = others;
    await lose();
    const { outputs, log, code } = await fixture.sweep();
    expect({ outputs, code }).toMatchObject({ ...atWork, code: 0 });
    expect(log.match(/grant `actions: read`/g)).toHaveLength(1);
    fixture.advanceClock({ hours: 4 });
    expect(await fixture.sweep()).toMatchObject(done);
  });
});

test('a job that is still working keeps its lease, and `/status` says which one and since when', async () => {
  expect(await fixture.sweep()).toMatchObject(atWork);
  fixture.listening = true;
  await fixture.comment(number, '/status');
  expect((await fixture.nextFinishedJob()).event).toBe('schedule');
  expect(await fixture.nextFinishedJob()).toMatchObject({ event: 'issue_comment', ...atWork });
  expect(looks()).toBe(2);
  const status = (await fixture.replies(number)).at(-1);
  expect(status).toMatch(
    /^Workflow run: 1001, attempt 1\nWorking since: \d{4}-\S+Z\nLease until: \d{4}-\S+Z$/m,
  );
  barrier.open();
  expect(await fixture.onlyFinishedJob()).toMatchObject({ event: 'issues', ...done });
  const { events } = await fixture.ledger(number);
  expect(events.filter(({ type }) => type === 'hold_lost')).toEqual([]);
});

test('a job that was cancelled releases its attempt itself, so that it can continue at once', async () => {
  job.child.kill('SIGINT');
  const log = expect.stringContaining('its unfinished work is released');
  expect(await job.outcome).toMatchObject({ code: 1, log });
  await fixture.forge.seed.commit(name, succeedingAgent);
  fixture.forge.requests.clear();
  expect(await fixture.sweep()).toMatchObject(done);
  expect(looks()).toBe(0);
});
