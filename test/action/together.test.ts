import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { problemsIn } from '../app/ledger-content.ts';
import { ActionsFixture, at } from './actions-fixture.ts';
import { Barrier } from './barrier.ts';
import { succeedingAgent } from './repository.ts';

// Every job is a separate process with Git, an agent and verifiers.
let fixture: ActionsFixture;
let barrier: Barrier;

beforeEach(async () => {
  barrier = await Barrier.start();
});
afterEach(async () => {
  await barrier.close();
  await fixture.end();
});

/** Waits until an agent reaches the barrier; returns the number of its pull request. */
async function atWork(): Promise<number> {
  await barrier.reached;
  const { data } = await fixture.ada.rest.pulls.list({ ...at, state: 'open' });
  const [pull] = data;
  if (pull === undefined) throw new Error('an agent is at work, but there is no pull request');
  return pull.number;
}

describe('two jobs at the same instant', () => {
  test('on one run lose no command, and post nothing twice', async () => {
    fixture = await ActionsFixture.start({ files: succeedingAgent });
    await fixture.labeledIssue();
    const number = Number((await fixture.onlyFinishedJob()).outputs['pull-request']);
    const words = ['/status', '/steer First this.', '/steer Then that.'];
    await Promise.all(words.map((word) => fixture.comment(number, word)));
    const outcomes = await fixture.finishedJobs();
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0]);
    const ledger = await fixture.ledger(number);
    expect(problemsIn(ledger)).toEqual([]);
    expect(ledger.events.filter(({ type }) => type === 'said')).toHaveLength(words.length);
    const { standing, iteration, head } = ledger.state;
    expect(standing.phase).toBe('awaiting_approval');
    expect(await fixture.block(number)).toMatchObject({ phase: standing.phase, iteration, head_sha: head });
    const marked = await fixture.markers(number);
    expect(marked).toEqual([...new Set(marked)]);
  });

  test('on one issue start one run', async () => {
    fixture = await ActionsFixture.start({ files: succeedingAgent, listening: false });
    await fixture.labeledIssue();
    const labeled = fixture.events.at(-1);
    if (labeled === undefined) throw new Error('there was no event for the label');
    fixture.start(labeled);
    fixture.start(labeled);
    const outcomes = await fixture.finishedJobs();
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0]);
    const { data } = await fixture.ada.rest.pulls.list({ ...at, state: 'all' });
    expect(data).toHaveLength(1);
    expect(await fixture.block(data[0]?.number ?? 0)).toMatchObject({
      phase: 'awaiting_approval',
      attempt: 1,
    });
    const marked = await fixture.markers(data[0]?.number ?? 0);
    expect(marked).toEqual([...new Set(marked)]);
  });
});

test('a steer while the agent is working is queued at once, and applied when it has finished', async () => {
  fixture = await ActionsFixture.start({ files: barrier.files });
  await fixture.labeledIssue();
  const number = await atWork();
  await fixture.comment(number, '/steer And this.');
  const commentJob = await fixture.nextFinishedJob();
  barrier.open();
  const workJob = await fixture.onlyFinishedJob();
  expect(commentJob).toMatchObject({ event: 'issue_comment', outputs: { iteration: '0' } });
  expect((await fixture.replies(number)).join()).toContain('Queued as steer 1');
  expect(workJob).toMatchObject({ event: 'issues', outputs: { phase: 'awaiting_approval', iteration: '1' } });
});

test('no result lands after a /cancel that another job handled', async () => {
  fixture = await ActionsFixture.start({ files: barrier.files });
  await fixture.labeledIssue();
  const number = await atWork();
  const { head } = await fixture.pull(number);
  await fixture.comment(number, '/cancel');
  const commentJob = await fixture.nextFinishedJob();
  barrier.open();
  const workJob = await fixture.onlyFinishedJob();
  expect(commentJob).toMatchObject({ event: 'issue_comment', outputs: { phase: 'cancelled' } });
  expect(workJob).toMatchObject({ event: 'issues', outputs: { phase: 'cancelled' } });
  expect(await fixture.pull(number)).toMatchObject({ state: 'closed', head: { sha: head.sha } });
});
