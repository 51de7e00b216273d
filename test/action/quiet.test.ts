import { afterAll, beforeAll, expect, test } from 'vitest';
import { ActionsFixture, at, name } from './actions-fixture.ts';
import { type GitHubEvent, startsJob } from './workflow.ts';

let fixture: ActionsFixture;

beforeAll(async () => {
  fixture = await ActionsFixture.start({ listening: false });
  await fixture.ada.rest.issues.create({ ...at, title: 'An issue' });
});
afterAll(async () => {
  await fixture.end();
});

/** The event that GitHub sends for an action. */
async function eventOf(act: () => Promise<unknown>): Promise<GitHubEvent> {
  await act();
  const event = fixture.events.at(-1);
  if (event === undefined) throw new Error('nothing happened');
  return event;
}

/** A pull request between branches of people. */
async function personsPull(): Promise<number> {
  const { data } = await fixture.ada.rest.git.getRef({ ...at, ref: 'heads/main' });
  await fixture.ada.rest.git.createRef({ ...at, ref: 'refs/heads/old', sha: data.object.sha });
  await fixture.forge.seed.commit(name, { 'README.md': '# Widgets\n' });
  const startOptions = { head: 'main', base: 'old', title: 'A change by a person', body: '' };
  return (await fixture.ada.rest.pulls.create({ ...at, ...startOptions })).data.number;
}

async function runsQuietly(event: GitHubEvent): Promise<void> {
  const before = fixture.forge.requests.total;
  const { code, outputs, summary, log } = await fixture.start(event).outcome;
  expect({ code, outputs, summary }).toEqual({ code: 0, outputs: {}, summary: '' });
  expect(log).toContain(`this ${event.name} event does not concern a run`);
  expect(fixture.forge.requests.total).toBe(before);
}

test.each(['Nice work, see src/total.ts.', '> /approve\n\nDid someone write that?', 'Run `/steer` now'])(
  'the comment %j ends a job at once, with no call to GitHub',
  async (text) => runsQuietly(await eventOf(() => fixture.comment(1, text))),
);

test('events of other pull requests start no job, and would end one at once', async () => {
  const pull_number = await personsPull();
  const reviewed = await eventOf(() =>
    fixture.ada.rest.pulls.createReview({ ...at, pull_number, event: 'COMMENT', body: 'Hm.' }),
  );
  const closed = await eventOf(() => fixture.ada.rest.pulls.update({ ...at, pull_number, state: 'closed' }));
  expect([reviewed, closed].map((event) => [event.name, startsJob(event)])).toEqual([
    ['pull_request_review', false],
    ['pull_request', false],
  ]);
  await runsQuietly(reviewed);
  await runsQuietly(closed);
});

test('another label starts no job, and would have no effect and look up no role', async () => {
  const label = () => fixture.ada.rest.issues.addLabels({ ...at, issue_number: 1, labels: ['bug'] });
  const labeled = await eventOf(label);
  expect(startsJob(labeled)).toBe(false);
  fixture.forge.requests.clear();
  expect(await fixture.start(labeled).outcome).toMatchObject({ code: 0, outputs: {} });
  expect(Object.keys(fixture.forge.requests.by_route)).toEqual(['POST /graphql']);
});

test("a bot's comment starts no job", async () => {
  const token = fixture.forge.seed.actionsToken(name, { issues: 'write' });
  const said = await eventOf(() =>
    fixture.as(token).rest.issues.createComment({ ...at, issue_number: 1, body: '/run' }),
  );
  expect(startsJob(said)).toBe(false);
  await runsQuietly(said);
});

test('an event that the workflow does not listen to is not an error', async () => {
  await runsQuietly({ name: 'watch', payload: { action: 'started' } });
});
