import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FinishedRun, startFinishedRun } from './finished-run.ts';
import { at } from './given-run.ts';

/** What else happens around the merge of an approved run. */
let run: FinishedRun;

const start = (finish: string) => async () => {
  run = await startFinishedRun(finish);
};

afterEach(() => run.end());

describe('with `finish: merge`', () => {
  beforeEach(start('merge, merge_method: rebase'));

  test.each([
    ['the base was just moved', 405, 'Base branch was modified. Review and try the merge again.'],
    ['the head was just moved', 409, 'Head branch was modified. Review and try the merge again.'],
  ])('a refusal because %s is not told, and the merge is tried again', async (_, status, message) => {
    const open = run.open(await run.approved('now'));
    run.forge.seed.fault({
      ...{ method: 'PUT', path: /\/pulls\/\d+\/merge$/, times: 1 },
      ...{ status, body: { message } },
    });
    await expect(open.acts()).rejects.toThrow(message);
    await open.acts();
    expect((await run.pull()).merged).toBe(true);
    expect((await run.says()).filter((text) => text.includes('does not allow'))).toEqual([]);
  });
});

test('a look at a draft that was not made ready yet merges it, and reports no refusal', async () => {
  await start('merge')();
  const { node_id } = await run.pull();
  const toDraft =
    'mutation ($id: ID!) { convertPullRequestToDraft(input: { pullRequestId: $id }) { pullRequest { id } } }';
  await run.people.ada.graphql(toDraft, { id: node_id });
  await run.open(await run.approved('now')).run.finishAgain();
  expect((await run.pull()).merged).toBe(true);
  expect((await run.says()).filter((text) => text.includes('does not allow'))).toEqual([]);
});

describe.each(['merge', 'auto-merge'])('with `finish: %s` and a merge queue', (finish) => {
  beforeEach(async () => {
    await start(finish)();
    run.forge.seed.addRuleset('acme/api', { rules: [{ type: 'merge_queue' }] });
  });

  test('what a person took out is not queued again', async () => {
    const queue = { is: 'out', at: '2026-01-01T00:00:00Z', by: 'ada' } as const;
    const standing = { phase: 'approved', finish: 'finished', queue } as const;
    const open = run.open(await run.approved('now', { standing }));
    await open.acts();
    await open.run.finishAgain();
    expect(await run.isQueued()).toBe(false);
  });

  test('what left the queue while nobody told us goes back to people', async () => {
    const queue = { is: 'in', at: '2026-01-01T00:00:00Z', by: 'ada' } as const;
    const standing = { phase: 'approved', finish: 'finished', queue } as const;
    const open = run.open(await run.approved('now', { standing }));
    await open.acts();
    expect(await run.isQueued()).toBe(false);
    expect(open.run.newest).toMatchObject({
      approvals: [],
      standing: { phase: 'queued', work: 'verify_head' },
    });
  });

  test('what GitHub does not show in the queue for a moment stays approved, and in it', async () => {
    run.requires({ Coxswain: run.ownApp() });
    const open = run.open(await run.approved('now'));
    await open.acts();
    const pullRequest = { isMergeQueueEnabled: true, isInMergeQueue: false, state: 'OPEN' };
    const outdated = { status: 200, body: { data: { repository: { pullRequest } } } };
    run.forge.seed.fault({ path: /graphql/, asks: /isInMergeQueue/, times: 1, ...outdated });
    await open.run.finishAgain();
    expect(open.run.newest?.standing).toMatchObject({ phase: 'approved', queue: { is: 'in' } });
  });

  test('people are told once why GitHub does not let it in yet', async () => {
    run.requires({ ci: null });
    const open = run.open(await run.approved('now'));
    await open.acts();
    await open.run.finishAgain();
    const said = (await run.says()).filter((text) => text.includes('merge queue'));
    expect(said).toEqual([expect.stringContaining('does not let it into the merge queue yet')]);
    await run.ciSucceeds();
    await open.run.finishAgain();
    expect(await run.isQueued()).toBe(true);
  });
});

describe('with `ci: after_look`', () => {
  test.each(['merge', 'auto-merge'])('CI runs on the base after a squash by `finish: %s`', async (finish) => {
    const message = 'Fix\n\n\nCoxswain-Run: acme/api#1\nskip-checks: true\n';
    run = await startFinishedRun(`${finish}, merge_method: squash`, { more: 'ci: after_look\n', message });
    const waits = finish === 'auto-merge';
    run.requires({ Coxswain: run.ownApp(), ...(waits && { ci: null }) });
    await run.open(await run.approved(waits ? 'allowed' : 'now')).acts();
    if (waits) await run.ciSucceeds();
    expect((await run.pull()).merged).toBe(true);
    const { data } = await run.people.ada.rest.repos.getCommit({ ...at, ref: 'main' });
    expect(data.commit.message).toBe(
      `Fix (#${run.number})\n\nCoxswain-Run: acme/api#${run.number}\nCo-authored-by: ada <1+ada@users.noreply.github.com>`,
    );
  });
});

describe('with `finish: auto-merge`', () => {
  beforeEach(start('auto-merge'));

  test('we stop after a week, and say so once', async () => {
    run.requires({ ci: null });
    const state = await run.approved('allowed');
    const long = state.approvals.map((approval) => ({ ...approval, at: '2025-01-01T00:00:00Z' }));
    const open = run.open({ ...state, approvals: long });
    await run.ciSucceeds();
    await open.acts();
    await open.run.finishAgain();
    expect((await run.pull()).merged).toBe(false);
    const said = (await run.says()).filter((text) => text.includes('no longer tries to merge'));
    expect(said).toEqual([expect.stringContaining('Merge it by hand')]);
  });

  test('that a person enabled is off while the run is not approved', async () => {
    run.requires({ Coxswain: run.ownApp() });
    const { node_id } = await run.pull();
    const ready =
      'mutation ($id: ID!) { markPullRequestReadyForReview(input: { pullRequestId: $id }) { clientMutationId } }';
    await run.people.mia.graphql(ready, { id: node_id });
    const enable =
      'mutation ($id: ID!) { enablePullRequestAutoMerge(input: { pullRequestId: $id }) { clientMutationId } }';
    await run.people.mia.graphql(enable, { id: node_id });
    expect((await run.pull()).auto_merge).not.toBeNull();
    await run.open(run.waiting()).acts();
    expect((await run.pull()).auto_merge).toBeNull();
  });
});
