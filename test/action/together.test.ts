import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { flawsOf } from '../app/ledger-story.ts';
import { Gate } from './gate.ts';
import { able } from './repository.ts';
import { at, name, Stage } from './stage.ts';

// Every job is a process with Git, an agent and verifiers of its own.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

let stage: Stage;
let gate: Gate;

beforeEach(async () => {
  gate = await Gate.build();
});
afterEach(async () => {
  gate.close();
  await stage.end();
});

/** A run whose agent stands before the gate; the number of its pull request. */
async function atWork(): Promise<number> {
  await gate.reached;
  const { data } = await stage.ada.rest.pulls.list({ ...at, state: 'open' });
  const [pull] = data;
  if (pull === undefined) throw new Error('an agent is at work, but there is no pull request');
  return pull.number;
}

describe('two jobs at the same instant', () => {
  test('on one run lose no word, and say nothing twice', async () => {
    stage = await Stage.set({ files: able });
    await stage.labeledIssue();
    const number = Number((await stage.onlyJob()).outputs['pull-request']);
    const words = ['/status', '/steer First this.', '/steer Then that.'];
    await Promise.all(words.map((word) => stage.say(number, word)));
    const outcomes = await stage.settled();
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0]);
    const ledger = await stage.ledger(number);
    expect(flawsOf(ledger)).toEqual([]);
    expect(ledger.events.filter(({ type }) => type === 'said')).toHaveLength(words.length);
    const { standing, iteration, head } = ledger.state;
    expect(standing.phase).toBe('awaiting_approval');
    expect(await stage.block(number)).toMatchObject({ phase: standing.phase, iteration, head_sha: head });
    const marked = await stage.markers(number);
    expect(marked).toEqual([...new Set(marked)]);
  });

  test('on one issue start one run', async () => {
    stage = await Stage.set({ files: able, listening: false });
    await stage.labeledIssue();
    const labeled = stage.events.at(-1);
    if (labeled === undefined) throw new Error('no label was told of');
    stage.start(labeled);
    stage.start(labeled);
    const outcomes = await stage.settled();
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0]);
    const { data } = await stage.ada.rest.pulls.list({ ...at, state: 'all' });
    expect(data).toHaveLength(1);
    expect(await stage.block(data[0]?.number ?? 0)).toMatchObject({ phase: 'awaiting_approval', attempt: 1 });
    const marked = await stage.markers(data[0]?.number ?? 0);
    expect(marked).toEqual([...new Set(marked)]);
  });
});

test('a steer while the agent is at work is queued at once, and followed when it has ended', async () => {
  stage = await Stage.set({ files: gate.files });
  await stage.labeledIssue();
  const number = await atWork();
  await stage.say(number, '/steer And this.');
  const incoming = await stage.nextJob();
  gate.open();
  const worked = await stage.onlyJob();
  expect(incoming).toMatchObject({ event: 'issue_comment', outputs: { iteration: '0' } });
  expect((await stage.replies(number)).join()).toContain('Queued as steer 1');
  expect(worked).toMatchObject({ event: 'issues', outputs: { phase: 'awaiting_approval', iteration: '1' } });
});

test('nothing lands after a /cancel that another job heard', async () => {
  stage = await Stage.set({ files: gate.files });
  await stage.labeledIssue();
  const number = await atWork();
  const { head } = await stage.pull(number);
  await stage.say(number, '/cancel');
  const incoming = await stage.nextJob();
  gate.open();
  const worked = await stage.onlyJob();
  expect(incoming).toMatchObject({ event: 'issue_comment', outputs: { phase: 'cancelled' } });
  expect(worked).toMatchObject({ event: 'issues', outputs: { phase: 'cancelled' } });
  expect(await stage.pull(number)).toMatchObject({ state: 'closed', head: { sha: head.sha } });
});

describe('a job that ends in the middle of an attempt', () => {
  test('by SIGKILL leaves a hold, and the sweep after it goes on', async () => {
    stage = await Stage.set({ files: gate.files, listening: false });
    await stage.labeledIssue();
    const { child, outcome } = stage.startLast();
    const number = await atWork();
    child.kill('SIGKILL');
    expect(await outcome).toMatchObject({ code: null });

    await stage.forge.seed.commit(name, able);
    expect(await stage.sweep()).toMatchObject({ outputs: { phase: 'working' } });
    stage.passes({ hours: 3 });
    expect(await stage.sweep()).toMatchObject({ outputs: { phase: 'awaiting_approval' } });
    expect(await stage.block(number)).toMatchObject({ attempt: 1, iteration: 0 });
    expect(flawsOf(await stage.ledger(number))).toEqual([]);
  });

  test('because somebody cancelled it gives the attempt back, so that nobody waits', async () => {
    stage = await Stage.set({ files: gate.files, listening: false });
    await stage.labeledIssue();
    const { child, outcome } = stage.startLast();
    await atWork();
    child.kill('SIGINT');
    const log = expect.stringContaining('its unfinished work is released');
    expect(await outcome).toMatchObject({ code: 1, log });
    await stage.forge.seed.commit(name, able);
    expect(await stage.sweep()).toMatchObject({ outputs: { phase: 'awaiting_approval' } });
  });
});
