import { afterAll, beforeAll, expect, test } from 'vitest';
import { ActionsFixture, at } from './actions-fixture.ts';
import { succeedingAgent } from './repository.ts';
import type { GitHubEvent } from './workflow.ts';

// Every job is a separate process with Git, an agent and verifiers.
/** Each event has a job of its own, and the job of an edit may start before that of the comment. */

let fixture: ActionsFixture;
/** A run that waits for approval. */
let number: number;

beforeAll(async () => {
  fixture = await ActionsFixture.start({ files: succeedingAgent });
  await fixture.labeledIssue();
  number = Number((await fixture.onlyFinishedJob()).outputs['pull-request']);
  fixture.listening = false;
});
afterAll(() => fixture.end());

/** Writes a comment and changes it; its jobs then start in the opposite order. Returns the comment's id. */
async function changedBeforeItsJob(says: string, change: (comment_id: number) => Promise<unknown>) {
  fixture.advanceClock({ seconds: 5 });
  const comment_id = await fixture.comment(number, says);
  const created = lastEvent();
  fixture.advanceClock({ seconds: 5 });
  await change(comment_id);
  await expectSuccess(lastEvent());
  await expectSuccess(created);
  return comment_id;
}

function lastEvent(): GitHubEvent {
  const event = fixture.events.at(-1);
  if (event === undefined) throw new Error('nothing happened');
  return event;
}

async function expectSuccess(event: GitHubEvent): Promise<void> {
  expect(await fixture.start(event).outcome).toMatchObject({ code: 0 });
}

async function heard(comment_id: number) {
  const { events } = await fixture.ledger(number);
  return events.filter(({ id }) => id.startsWith(`comment:${comment_id}@`));
}

test('a steer that was edited before its job started is carried out as it is now', async () => {
  const comment = await changedBeforeItsJob('/steer Old words.', (comment_id) =>
    fixture.ada.rest.issues.updateComment({ ...at, comment_id, body: '/steer New words.' }),
  );
  expect(await heard(comment)).toMatchObject([{ type: 'said', command: { prompt: 'New words.' } }]);
  expect(await fixture.block(number)).toMatchObject({ iteration: 1, phase: 'awaiting_approval' });
});

test('a steer that was deleted before its job started says nothing', async () => {
  const { iteration } = await fixture.block(number);
  const comment = await changedBeforeItsJob('/steer Forget it.', (comment_id) =>
    fixture.ada.rest.issues.deleteComment({ ...at, comment_id }),
  );
  expect(await heard(comment)).toEqual([]);
  expect(await fixture.block(number)).toMatchObject({ iteration, phase: 'awaiting_approval' });
});

test('what takes something back counts although its comment was deleted, perhaps by somebody else', async () => {
  await changedBeforeItsJob('/reject It is bad.', (comment_id) =>
    fixture.ada.rest.issues.deleteComment({ ...at, comment_id }),
  );
  expect((await fixture.ledger(number)).state.standing).toMatchObject({ phase: 'rejected' });
});
