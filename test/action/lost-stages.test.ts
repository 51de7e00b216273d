import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Barrier, startBarrier, waitingAt } from '../app/barrier.ts';
import { problemsIn } from '../app/ledger-content.ts';
import { ActionsFixture, at } from './actions-fixture.ts';
import { plannedFiles, succeedingAgent } from './repository.ts';

// Every job is a separate process on a runner of its own.
/** Jobs that are lost while a later stage is at work, or while another agent reviews what was made. */
let fixture: ActionsFixture;
let barrier: Barrier;

beforeEach(async () => {
  barrier = await startBarrier();
});
afterEach(async () => {
  await barrier.close();
  await fixture.end();
});

/** A program that waits at the barrier. */
function waits(then = ''): string {
  return `${waitingAt}\nawait passed(${JSON.stringify(barrier.path)});\n${then}`;
}

/** Ends the job that waits at the barrier as a lost machine does. */
async function lose(): Promise<void> {
  await barrier.reached();
  fixture.killJobs();
  expect(await fixture.onlyFinishedJob()).toMatchObject({ code: null });
  barrier.open();
}

async function endOf(number: number) {
  const ledger = await fixture.ledger(number);
  expect(problemsIn(ledger)).toEqual([]);
  return { ...ledger, count: (type: string) => ledger.events.filter((each) => each.type === type).length };
}

test('a stage whose job was lost is done again by the next one, without another approval of the plan', async () => {
  const wait = { 'tools/wait.mjs': waits() };
  fixture = await ActionsFixture.start({ files: { ...plannedFiles('node tools/wait.mjs'), ...wait } });
  await fixture.labeledIssue();
  const number = Number((await fixture.onlyFinishedJob()).outputs['pull-request']);
  await fixture.comment(number, '/approve');
  await lose();
  expect(await fixture.sweep()).toMatchObject({ code: 0, outputs: { phase: 'awaiting_approval' } });
  const { state, count } = await endOf(number);
  expect(state).toMatchObject({ attempt: 1, attempts_used: 1, approvals: [], stage: 'implement' });
  expect(state.plan?.text).toBe('1. Ask for the price.');
  expect([count('hold_lost'), count('work_finished'), count('said')]).toEqual([1, 2, 1]);
});

test('a review whose job was lost is made by the next one, and the work before it is not done again', async () => {
  const opinion = 'console.log(JSON.stringify({ confidence: 0.9 }));\n';
  const config = `version: 1
agent: { use: scripted, script: tools/agent.yml }
agents: { careful: { use: command, command: [node, tools/review.mjs] } }
review: careful
verifiers:
  - { name: test, run: node test.mjs }
`;
  const files = { '.github/coxswain.yml': config, 'tools/review.mjs': waits(opinion), ...succeedingAgent };
  fixture = await ActionsFixture.start({ files });
  await fixture.labeledIssue();
  await lose();
  expect(await fixture.sweep()).toMatchObject({ code: 0, outputs: { phase: 'awaiting_approval' } });
  const { data } = await fixture.ada.rest.pulls.list({ ...at, state: 'open' });
  const { state, count } = await endOf(data[0]?.number ?? 0);
  expect(state.review).toMatchObject({ head: state.head, confidence: 0.9, concerns: [] });
  expect([count('hold_lost'), count('work_finished'), count('verified')]).toEqual([1, 1, 1]);
});
