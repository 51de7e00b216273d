import type { ForgeOptions } from '@coxswain/forge';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { saveBlockedRun, stateIn } from './blocked-run.ts';
import { at, type RunsFixture, type SavedForge, startRunsFixture } from './runs-fixture.ts';

/** What blocked runs wait for, where a server knows less than GitHub or fails. */
let saved: SavedForge;
let fixture: RunsFixture;
let server: Hook;

type Hook = NonNullable<ForgeOptions['onRequest']>;
type Reply = Exclude<Awaited<ReturnType<Hook>>, 'drop'>;
type Asked = Parameters<Hook>[0];

const asForge: Hook = (_, next) => next();
const isAboutClosing = ({ path, body }: Asked) => path === '/graphql' && body.includes('CLOSED_EVENT');
const isAboutBlockers = ({ path }: Asked) => path.includes('/dependencies/blocked_by');

function answers(status: number, body: object): Reply {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

const notFound = answers(404, { message: 'Not Found', documentation_url: 'https://docs.github.com/rest' });
const noClosing = { repository: { issue: { timelineItems: { nodes: [{ closer: null }] } } } };

beforeAll(async () => {
  saved = await saveBlockedRun();
});

afterAll(() => saved.remove());

beforeEach(async () => {
  server = asForge;
  fixture = await startRunsFixture(saved, undefined, { onRequest: (asked, next) => server(asked, next) });
});

afterEach(() => fixture.end());

async function standingOf(number: number) {
  return (await stateIn(fixture, number)).standing;
}

/** Bob merges work of his own that says that it closes issue 1; the commit. */
async function mergesByHand(base: string, merge_method: 'merge' | 'squash' = 'squash'): Promise<string> {
  const { bob, pushes } = fixture;
  await pushes('bob', { from: base, to: 'topic', files: { 'by-bob.txt': 'b\n' } });
  const asked = { ...at, head: 'topic', base, title: 'By hand', body: 'It fixes: #1 at last' };
  const { data: pull } = await bob.rest.pulls.create(asked);
  return (await bob.rest.pulls.merge({ ...at, pull_number: pull.number, merge_method })).data.sha;
}

async function closes(issue_number: number): Promise<void> {
  await fixture.ada.rest.issues.update({ ...at, issue_number, state: 'closed' });
}

const servers: readonly [string, Reply][] = [
  ['no GraphQL', notFound],
  [
    'a schema without closers',
    answers(200, { errors: [{ message: "Field 'closer' doesn't exist on type 'ClosedEvent'" }] }),
  ],
  ['data without closers', answers(200, { data: noClosing })],
  ['no data', answers(200, { data: null })],
  [
    'data beside an outage',
    answers(200, { data: noClosing, errors: [{ message: 'Something went wrong while executing' }] }),
  ],
];

test.each(servers)('a merge that closed an issue is found where the server has %s', async (_, reply) => {
  await mergesByHand('main');
  server = async (asked, next) => (isAboutClosing(asked) ? reply : next());
  await fixture.turns(1);
  expect((await standingOf(4)).phase).toBe('awaiting_approval');
});

test.each([404, 410])(
  'what a text says counts where dependencies of GitHub are answered with %i',
  async (status) => {
    const { ada, labels } = fixture;
    server = async (asked, next) => (isAboutBlockers(asked) ? answers(status, { message: 'No' }) : next());
    const { data } = await ada.rest.issues.create({ ...at, title: 'Third', body: 'Depends on #3' });
    await labels('ada', data.number);
    expect(await standingOf(6)).toEqual({ phase: 'blocked', on: [{ number: 3, is: 'open' }] });
  },
);

test('an issue that is gone by now starts nothing, and is not taken for one without dependencies', async () => {
  const { ada, labels, appComments } = fixture;
  const { data } = await ada.rest.issues.create({ ...at, title: 'Third', body: 'Depends on #3' });
  server = async (asked, next) => {
    const isGone = asked.method === 'GET' && /\/issues\/5(?:\/dependencies\/.*)?$/.test(asked.path);
    return isGone && asked.headers.authorization?.includes('ghs_') ? notFound : next();
  };
  await labels('ada', data.number);
  expect(await appComments(5)).toEqual([
    expect.stringMatching(/^The run could not start: .* 404, Not Found\.$/),
  ]);
});

test('a failure while dependencies of GitHub are read is no answer', async () => {
  const { ada, labels, sweep } = fixture;
  const { data: third } = await ada.rest.issues.create({ ...at, title: 'Third', body: 'Nothing.' });
  const { data: fourth } = await ada.rest.issues.create({ ...at, title: 'Fourth', body: 'Nothing.' });
  const blocked_by = 'POST /repos/{owner}/{repo}/issues/{issue_number}/dependencies/blocked_by';
  await ada.request(blocked_by, { ...at, issue_number: third.number, issue_id: fourth.id });
  server = async (asked, next) => (isAboutBlockers(asked) ? answers(502, { message: 'Bad' }) : next());
  await expect(labels('ada', third.number)).rejects.toThrow('502');
  server = asForge;
  await sweep();
  expect(await standingOf(7)).toEqual({ phase: 'blocked', on: [{ number: fourth.number, is: 'open' }] });
});

test('a failure while a closed issue is read is not told as closed without a merge', async () => {
  const told = async () => (await fixture.appComments(4)).filter((text) => text.includes('without a merge'));
  await closes(1);
  server = async (asked, next) => (isAboutClosing(asked) ? answers(502, { message: 'Bad' }) : next());
  await fixture.turns(1);
  expect(await standingOf(4)).toEqual({ phase: 'blocked', on: [{ number: 1, is: 'open' }] });
  expect(await told()).toEqual([]);
  expect(fixture.warnings.join('\n')).toContain('the sweep will try again');
  server = asForge;
  await fixture.sweep();
  expect(await standingOf(4)).toEqual({ phase: 'blocked', on: [{ number: 1, is: 'closed' }] });
  expect(await told()).toHaveLength(1);
});

test('an issue that was closed by hand after its merge into another branch waits for that merge', async () => {
  await fixture.pushes('bob', { from: 'main', to: 'release', files: { 'release.txt': '1\n' } });
  await mergesByHand('release', 'merge');
  await closes(1);
  await fixture.turns(1);
  expect(await standingOf(4)).toEqual({ phase: 'blocked', on: [{ number: 1, is: 'merged' }] });
  await fixture.pushes('bob', { from: 'main', merge: 'release' });
  await fixture.turns('main');
  expect((await standingOf(4)).phase).toBe('awaiting_approval');
});

test('an issue that was closed as not planned counts as closed, whatever was merged for it before', async () => {
  await mergesByHand('main');
  const { ada } = fixture;
  await ada.rest.issues.update({ ...at, issue_number: 1, state: 'open' });
  await ada.rest.issues.update({ ...at, issue_number: 1, state: 'closed', state_reason: 'not_planned' });
  await fixture.turns(1);
  expect(await standingOf(4)).toEqual({ phase: 'blocked', on: [{ number: 1, is: 'closed' }] });
});

test('a merge that is picked into the base counts, and one of somebody who may not write does not', async () => {
  const { forge, pushes } = fixture;
  await pushes('bob', { from: 'main', to: 'release', files: { 'release.txt': '1\n' } });
  const sha = await mergesByHand('release');
  await closes(1);
  const message = `By hand\n\n(cherry picked from commit ${sha})`;
  await pushes('bob', { from: 'main', files: { 'by-bob.txt': 'b\n' }, message });
  forge.seed.setCollaborator('acme/api', 'bob', 'read');
  await fixture.turns(1);
  expect(await standingOf(4)).toEqual({ phase: 'blocked', on: [{ number: 1, is: 'closed' }] });
  forge.seed.setCollaborator('acme/api', 'bob', 'write');
  await fixture.turns(1);
  expect((await standingOf(4)).phase).toBe('awaiting_approval');
});
