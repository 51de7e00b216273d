import type { ForgeRequest, RequestHook } from '@coxswain/forge';
import { beforeEach, expect, test } from 'vitest';
import { tokenOf } from '../chaos/disturber.ts';
import { at, type RunsFixture } from './runs-fixture.ts';
import { oneTask, onInterruptedRun, pullsOf, stateOf, twoTasks } from './spawning-fixture.ts';

/** What people do while the runs are made that take the place of another one. */
let fixture: RunsFixture;
let isMoment: (request: ForgeRequest) => boolean;
let meanwhile: () => Promise<unknown>;
let isLost: (request: ForgeRequest) => boolean;

/** Once. */
const onRequest: RequestHook = async (request, next) => {
  if (isLost(request)) return 'drop';
  if (!isMoment(request)) return next();
  isMoment = () => false;
  await meanwhile();
  return next();
};

beforeEach(() => {
  isLost = () => false;
  isMoment = ({ method, path, body }) =>
    method === 'POST' && path.endsWith('/pulls') && body.toString().includes('Show the time');
});
onInterruptedRun(
  (fresh) => {
    fixture = fresh;
  },
  { onRequest },
);

/** Without waiting for anybody's approval. */
async function mergesByHand(pull_number: number): Promise<void> {
  const { mia } = fixture;
  const { data } = await mia.rest.pulls.get({ ...at, pull_number });
  const ready =
    'mutation ($id: ID!) { markPullRequestReadyForReview(input: { pullRequestId: $id }) { clientMutationId } }';
  await mia.graphql(ready, { id: data.node_id });
  await mia.rest.pulls.merge({ ...at, pull_number });
}

const bothMade = ['#2 Fix the clock: closed', '#3 Parse the time.: open', '#4 Show the time.: open'];

test('a pull request that is closed by hand is replaced all the same, and told once', async () => {
  meanwhile = () => fixture.bob.rest.pulls.update({ ...at, pull_number: 2, state: 'closed' });
  await fixture.says('ada', 2, twoTasks);
  await fixture.sweep();
  expect(await pullsOf(fixture)).toEqual(bothMade);
  expect(await stateOf(fixture, 2)).toMatchObject({
    standing: { phase: 'abandoned', reason: 'replaced by #3, #4' },
    owed: [],
  });
  expect(await fixture.appComments(1)).toHaveLength(1);
});

test('what is closed by hand and cannot be replaced has ended, and names what is there', async () => {
  const { seed } = fixture.forge;
  meanwhile = async () => {
    await fixture.bob.rest.pulls.update({ ...at, pull_number: 2, state: 'closed' });
    seed.protect('acme/api', 'refs/heads/coxswain/**', { forbid_create: true });
  };
  isMoment = ({ method, path, body }) =>
    method === 'POST' && path.endsWith('/pulls') && body.toString().includes('Parse the time');
  await fixture.says('ada', 2, twoTasks);
  await fixture.sweep();
  const state = await stateOf(fixture, 2);
  expect(state.standing.phase).toBe('cancelled');
  expect(state.replaced_by?.made).toEqual([{ name: 'parse', number: 3 }]);
  expect((await fixture.appComments(2)).join('\n')).toContain('#3');
});

test('what is merged by hand is not replaced further', async () => {
  meanwhile = () => mergesByHand(2);
  isMoment = ({ method, path, body }) =>
    method === 'POST' && path.endsWith('/pulls') && body.toString().includes('Parse the time');
  await fixture.says('ada', 2, twoTasks);
  await fixture.sweep();
  expect(await pullsOf(fixture)).toEqual(['#2 Fix the clock: closed', '#3 Parse the time.: open']);
  const state = await stateOf(fixture, 2);
  expect(state.standing.phase).toBe('done');
  expect(state.owed).toEqual([]);
  const told = (await fixture.appComments(2)).filter((text) => text.includes('so no more of them will be'));
  expect(told).toEqual([expect.stringMatching(/^@ada: This was merged by \w+ before/)]);
});

test('what is pushed to the old branch is what the others go on from', async () => {
  const { branch } = (await stateOf(fixture, 2)).run;
  let head = '';
  meanwhile = async () => {
    head = await fixture.pushes('bob', { from: branch, files: { 'by-bob.txt': 'b\n' } });
  };
  isMoment = ({ method, path, body }) =>
    method === 'POST' && path.endsWith('/pulls') && body.toString().includes('Parse the time');
  await fixture.says('ada', 2, twoTasks.replaceAll('description', 'carry: branch\ndescription'));
  await fixture.sweep();
  expect(await pullsOf(fixture)).toEqual(bothMade);
  expect((await stateOf(fixture, 2)).standing.phase).toBe('abandoned');
  const { data } = await fixture.ada.rest.repos.getBranch({ ...at, branch });
  expect(data.commit.sha).toBe(head);
});

test('one that is there counts also after what it was made from is gone', async () => {
  const { branch } = (await stateOf(fixture, 2)).run;
  const dead = new Set<string>();
  const died = new Promise<void>((resolve) => {
    isLost = (request) => {
      const isPush = request.method === 'POST' && request.path.endsWith('/git-receive-pack');
      if (!isPush || !request.body.includes('refs/coxswain/open/3')) return dead.has(tokenOf(request));
      dead.add(tokenOf(request));
      isLost = (other) => dead.has(tokenOf(other));
      resolve();
      return false;
    };
  });
  const carried = `/spawn\n\`\`\`coxswain\ndescription: Set the clock\ncarry: branch\n\`\`\``;
  await Promise.race([fixture.says('ada', 2, carried), died]);
  fixture.succeeds();
  await fixture.bob.rest.pulls.update({ ...at, pull_number: 2, state: 'closed' });
  await fixture.bob.rest.git.deleteRef({ ...at, ref: `heads/${branch}` });
  await fixture.sweep();
  expect((await stateOf(fixture, 2)).standing).toMatchObject({
    phase: 'abandoned',
    reason: 'replaced by #3',
  });
  expect(await pullsOf(fixture)).toHaveLength(2);
});

test('one that is merged before the others are there keeps none of them waiting', async () => {
  meanwhile = () => mergesByHand(3);
  await fixture.says('ada', 2, twoTasks);
  await fixture.sweep();
  expect(await stateOf(fixture, 4)).toMatchObject({
    standing: { phase: 'awaiting_approval' },
    task: { depends_on: ['#3'] },
  });
  expect((await stateOf(fixture, 2)).standing).toMatchObject({ phase: 'abandoned' });
  expect((await fixture.ada.rest.issues.get({ ...at, issue_number: 1 })).data.state).toBe('open');
});

test('the only one that is merged before the old one has ended still closes the issue', async () => {
  isMoment = ({ method, path }) => method === 'POST' && path.endsWith('/issues/3/labels');
  meanwhile = () => mergesByHand(3);
  await fixture.says('ada', 2, oneTask);
  for (let sweeps = 0; sweeps < 3; sweeps++) await fixture.sweep();
  expect((await stateOf(fixture, 2)).standing).toMatchObject({ phase: 'abandoned' });
  expect((await stateOf(fixture, 3)).standing.phase).toBe('done');
  expect((await fixture.ada.rest.issues.get({ ...at, issue_number: 1 })).data.state).toBe('closed');
});
