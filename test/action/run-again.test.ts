import { afterAll, beforeAll, expect, test } from 'vitest';
import { ActionsFixture } from './actions-fixture.ts';
import { succeedingAgent } from './repository.ts';
import type { Outcome } from './runner.ts';

// Every job is a separate process with Git, an agent and verifiers.
/** Somebody runs the job of an old event again, with the payload that it had. */

let fixture: ActionsFixture;
let issue: number;
let number: number;

beforeAll(async () => {
  fixture = await ActionsFixture.start({ files: succeedingAgent });
  issue = await fixture.labeledIssue();
  number = Number((await fixture.onlyFinishedJob()).outputs['pull-request']);
});
afterAll(() => fixture.end());

/** Bob runs all jobs again that the events so far have started. */
async function runAllAgain(): Promise<readonly Outcome[]> {
  const environment = { GITHUB_RUN_ATTEMPT: '2', GITHUB_TRIGGERING_ACTOR: 'bob' };
  const started = fixture.events.filter(
    ({ name, payload }) => name === 'issue_comment' || (name === 'issues' && payload['action'] === 'labeled'),
  );
  for (const event of started) await fixture.start(event, { environment }).outcome;
  return fixture.finishedJobs();
}

async function recorded() {
  const { events, state } = await fixture.ledger(number);
  return { phase: state.standing.phase, events: events.map(({ id }) => id) };
}

test('the job of an event that was handled says nothing a second time, whoever runs it again', async () => {
  await fixture.comment(number, '/steer Round it.');
  await fixture.onlyFinishedJob();
  const before = await recorded();
  for (const { code } of await runAllAgain()) expect(code).toBe(0);
  expect(await recorded()).toEqual(before);
});

test('the job of a comment that no job has handled says what its author has written, as that person', async () => {
  fixture.listening = false;
  await fixture.comment(number, '/steer Make it cheaper.');
  fixture.listening = true;
  for (const { code } of await runAllAgain()) expect(code).toBe(0);
  const { events } = await fixture.ledger(number);
  expect(events.filter(({ type }) => type === 'said').at(-1)).toMatchObject({
    by: { login: 'ada' },
    command: { prompt: 'Make it cheaper.' },
  });
});

test('the jobs of a run that has ended start no other one', async () => {
  await fixture.comment(number, '/reject No.');
  await fixture.onlyFinishedJob();
  fixture.advanceClock({ hours: 48 });
  const before = await recorded();
  for (const { code } of await runAllAgain()) expect(code).toBe(0);
  expect(await recorded()).toEqual(before);
  const { data } = await fixture.ada.rest.pulls.list({ owner: 'acme', repo: 'widgets', state: 'all' });
  expect(data.map((pull) => pull.number)).toEqual([number]);
  expect(await fixture.replies(issue)).toEqual([]);
});
