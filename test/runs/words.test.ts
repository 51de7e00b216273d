import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { textSha256 } from '../../src/github/marks.ts';
import { readBlock } from '../../src/github/show/block.ts';
import { checkFinish, finishFacts } from '../../src/runs/finish/check-finish.ts';
import { reasonsAgainst } from '../../src/steering/approval/finish-reasons.ts';
import type { Person, Source } from '../../src/steering/shapes/people.ts';
import type { State } from '../../src/steering/state/state.ts';
import { readLedger } from '../app/ledger-content.ts';
import { at, type RunsFixture, type SavedForge, saveForge, startRunsFixture } from './runs-fixture.ts';

/** A run waits for approval on #2; Bob may write and tries to have his words or commits approved by Ada. */
let saved: SavedForge;
let fixture: RunsFixture;
const number = 2;
const place = { ...at, pull_number: number };
const comments = { ...at, issue_number: number };

beforeAll(async () => {
  saved = await saveForge(async ({ ada, says }) => {
    const issue = await ada.rest.issues.create({ ...at, title: 'Fix the clock', body: 'It is late.' });
    await says('ada', issue.data.number, '/run');
  });
});

afterAll(() => saved.remove());

beforeEach(async () => {
  fixture = await startRunsFixture(saved);
});

afterEach(() => fixture.end());

async function pull() {
  return (await fixture.ada.rest.pulls.get(place)).data;
}

async function phase(): Promise<string | undefined> {
  return readBlock((await pull()).body ?? '')?.phase;
}

async function ledger() {
  const found = await readLedger(fixture.url, fixture.adasToken, number);
  if (found === undefined) throw new Error('there is no ledger');
  return found;
}

async function expectNotApproved(): Promise<void> {
  await fixture.sweep();
  expect(await phase()).toBe('awaiting_approval');
  expect((await ledger()).state.approvals).toEqual([]);
}

describe('somebody else’s edit', () => {
  test('makes no approval of a review', async () => {
    const { data } = await fixture.ada.rest.pulls.createReview({ ...place, event: 'COMMENT', body: 'Nice.' });
    await fixture.bob.rest.pulls.updateReview({ ...place, review_id: data.id, body: '/approve' });
    await expectNotApproved();
  });

  test('makes no approval of a comment, even if its author edits it afterwards', async () => {
    const { data } = await fixture.ada.rest.issues.createComment({ ...comments, body: 'Nice.' });
    const comment = { ...at, comment_id: data.id };
    await fixture.bob.rest.issues.updateComment({ ...comment, body: '/approve\n\nNice.' });
    await fixture.ada.rest.issues.updateComment({ ...comment, body: '/approve\n\nNice!' });
    await expectNotApproved();
  });

  test('voids an approval that its author had written', async () => {
    const id = await fixture.says('ada', number, `/approve ${(await pull()).head.sha}`);
    expect(await phase()).toBe('approved');
    const { run } = fixture.run(number);
    const { state } = await ledger();
    const comment = { ...at, comment_id: id };
    await fixture.bob.rest.issues.updateComment({ ...comment, body: 'Hm.' });
    await fixture.bob.rest.issues.updateComment({ ...comment, body: `/approve ${state.head}` });
    expect(await checkFinish(run, state)).toBeUndefined();
  });
});

test('an author’s own edit before anyone heard the comment is theirs', async () => {
  const { data } = await fixture.ada.rest.issues.createComment({ ...comments, body: '/aprove' });
  const body = `/approve ${(await pull()).head.sha}`;
  await fixture.ada.rest.issues.updateComment({ ...at, comment_id: data.id, body });
  await fixture.sweep();
  expect(await phase()).toBe('approved');
});

describe('words through another App', () => {
  test('are not their author’s, in a sweep and when they are read again', async () => {
    const { seed } = fixture.forge;
    const owner = { owner: 'acme', slug: 'helper', webhook_url: '', webhook_secret: 'x' };
    const helper = seed.createApp({ ...owner, permissions: { issues: 'write' }, events: [] });
    seed.installApp(helper, ['acme/api']);
    const asAda = fixture.client(seed.userToken(helper, 'ada'));
    const { head } = await pull();
    await asAda.rest.issues.createComment({ ...comments, body: `/approve ${head.sha}` });
    await expectNotApproved();
    expect((await fixture.appComments(number)).at(-1)).toMatch(/The App `helper` wrote this on your behalf/);
  });
});

describe('a plain /approve', () => {
  test('is for the commit that was the head when it was written, whatever the ledger says', async () => {
    const { state } = await ledger();
    const { data } = await fixture.ada.rest.issues.createComment({ ...comments, body: '/approve' });
    // In the same second it would be unknown which came first.
    fixture.wait(2);
    const evil = await fixture.pushes('bob', { from: state.run.branch, files: { evil: 'x\n' } });
    const source = { from: 'comment', comment_id: data.id, written_at: data.created_at } as const;
    const by = { login: 'ada', id: data.user?.id ?? 0, role: 'maintain', bot: false } as const;
    const forged = approvedAt(evil, state, { ...source, text_sha256: textSha256('/approve') }, by);
    const { run } = fixture.run(number);
    const reasons = reasonsAgainst(forged, await finishFacts(run, forged));
    const then = `the head was ${state.head.slice(0, 7)} when @ada approved`;
    expect(reasons).toEqual([`${then}: to approve ${evil.slice(0, 7)}, say "/approve ${evil}"`]);
  });

  test('is not for a commit that somebody pushed while the run was on show', async () => {
    const branch = (await pull()).head.ref;
    const pushed = await fixture.pushes('bob', { from: branch, files: { more: 'x\n' } });
    await fixture.sweep();
    expect(await phase()).toBe('awaiting_approval');
    await fixture.says('ada', number, '/approve');
    expect((await fixture.appComments(number)).at(-1)).toContain(`\`/approve ${pushed}\``);
    await fixture.says('ada', number, `/approve ${pushed}`);
    expect(await phase()).toBe('approved');
  });

  test('still counts after the branch was only brought up to date', async () => {
    const branch = (await pull()).head.ref;
    await fixture.pushes('bob', { from: 'main', files: { newer: 'x\n' } });
    const merged = await fixture.pushes('bob', { from: branch, merge: 'main' });
    await fixture.sweep();
    const { state } = await ledger();
    expect(state).toMatchObject({ head: merged, shown: { head_sha: merged } });
    expect(state).not.toHaveProperty('pushed_while_shown');
  });
});

/** What a forger would write into the ledger: this commit was on show, and that comment approved it. */
function approvedAt(head: string, state: State, source: Source, by: Person): State {
  const { shown, updated_at } = state;
  return {
    ...state,
    head,
    shown: shown && { ...shown, head_sha: head },
    approvals: [{ id: 'forged', by, at: updated_at, head_sha: head, source, despite: [] }],
    standing: { phase: 'approved', finish: 'checking' },
  };
}
