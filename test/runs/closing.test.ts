import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { at, type GivenRun, startGivenRun } from './given-run.ts';

/** A run that has ended, as its ledger says and as GitHub says. */
let given: GivenRun | undefined;
let run: GivenRun;

const merged = { phase: 'done', merged: true } as const;
const finished = { phase: 'approved', finish: 'finished' } as const;

beforeEach(async () => {
  await given?.end();
  run = await startGivenRun();
  given = run;
});

afterAll(() => given?.end());

async function readyAndMerged(): Promise<void> {
  const { data } = await run.people.mia.rest.pulls.get({ ...at, pull_number: run.number });
  const ready =
    'mutation ($id: ID!) { markPullRequestReadyForReview(input: { pullRequestId: $id }) { clientMutationId } }';
  if (data.draft) await run.people.mia.graphql(ready, { id: data.node_id });
  await run.people.mia.rest.pulls.merge({ ...at, pull_number: run.number });
}

describe('a ledger that says the run was merged', () => {
  test('leaves no commit green while the pull request is open', async () => {
    const approvals = [await run.approves(run.head)];
    await run.open(run.waiting({ standing: finished, approvals })).acts();
    expect(await run.conclusions(run.head)).toEqual(['success']);
    await run.open(run.waiting({ seq: 12, standing: merged, approvals })).acts();
    expect((await run.conclusions(run.head)).at(-1)).toBe('cancelled');
  });

  test('turns no commit green that was merged without an approval', async () => {
    await readyAndMerged();
    const approvals = [await run.approves(run.head)];
    await run.open(run.waiting({ standing: merged, approvals })).acts();
    expect(await run.conclusions(run.head)).toEqual(['cancelled']);
  });

  test('turns no commit green but the one that was merged', async () => {
    const former = run.head;
    const approvals = [await run.approves(former)];
    await run.open(run.waiting({ standing: finished, approvals })).acts();
    expect((await run.conclusions(former)).at(-1)).toBe('success');
    await run.pushes();
    await readyAndMerged();
    await run.open(run.waiting({ seq: 12, standing: merged, approvals })).acts();
    expect((await run.conclusions(former)).at(-1)).toBe('cancelled');
  });

  test('leaves a commit green that was approved and merged', async () => {
    const approvals = [await run.approves(run.head)];
    await run.open(run.waiting({ standing: finished, approvals })).acts();
    await readyAndMerged();
    await run.open(run.waiting({ seq: 12, standing: merged, approvals })).acts();
    expect((await run.conclusions(run.head)).at(-1)).toBe('success');
  });
});

test('a run that was approved and then closed does not stay green', async () => {
  const approvals = [await run.approves(run.head)];
  const open = run.open(run.waiting({ standing: finished, approvals }));
  await open.acts();
  expect(await run.conclusions(run.head)).toEqual(['success']);
  const { people, number } = run;
  await people.mia.rest.pulls.update({ ...at, pull_number: number, state: 'closed' });
  const when = '2026-11-22T10:00:00Z';
  await open.run.record({ type: 'closed', id: `closed:${when}`, at: when, merged: false, by: 'mia' });
  await open.acts();
  expect((await run.conclusions(run.head)).at(-1)).toBe('cancelled');
});
