import { afterAll, beforeAll, expect, test } from 'vitest';
import { at, name, Stage } from './stage.ts';
import { type GitHubEvent, startsJob } from './workflow.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.set({ listening: false });
  await stage.ada.rest.issues.create({ ...at, title: 'An issue' });
});
afterAll(async () => {
  await stage.end();
});

/** What GitHub tells of what somebody did. */
async function told(act: () => Promise<unknown>): Promise<GitHubEvent> {
  await act();
  const event = stage.events.at(-1);
  if (event === undefined) throw new Error('nothing happened');
  return event;
}

/** A pull request between branches of people. */
async function personsPull(): Promise<number> {
  const { data } = await stage.ada.rest.git.getRef({ ...at, ref: 'heads/main' });
  await stage.ada.rest.git.createRef({ ...at, ref: 'refs/heads/old', sha: data.object.sha });
  await stage.forge.seed.commit(name, { 'README.md': '# Widgets\n' });
  const startOptions = { head: 'main', base: 'old', title: 'A change by a person', body: '' };
  return (await stage.ada.rest.pulls.create({ ...at, ...startOptions })).data.number;
}

async function runsQuietly(event: GitHubEvent): Promise<void> {
  const before = stage.forge.requests.total;
  const { code, outputs, summary, log } = await stage.start(event).outcome;
  expect({ code, outputs, summary }).toEqual({ code: 0, outputs: {}, summary: '' });
  expect(log).toContain(`this ${event.name} event does not concern a run`);
  expect(stage.forge.requests.total).toBe(before);
}

test.each(['Nice work, see src/total.ts.', '> /approve\n\nDid somebody say that?', 'Run `/steer` now'])(
  'the comment %j ends a job at once, with no call to GitHub',
  async (text) => runsQuietly(await told(() => stage.say(1, text))),
);

test('what happens to pull requests of people starts no job, and would end one at once', async () => {
  const pull_number = await personsPull();
  const reviewed = await told(() =>
    stage.ada.rest.pulls.createReview({ ...at, pull_number, event: 'COMMENT', body: 'Hm.' }),
  );
  const closed = await told(() => stage.ada.rest.pulls.update({ ...at, pull_number, state: 'closed' }));
  expect([reviewed, closed].map((event) => [event.name, startsJob(event)])).toEqual([
    ['pull_request_review', false],
    ['pull_request', false],
  ]);
  await runsQuietly(reviewed);
  await runsQuietly(closed);
});

test('another label starts no job, and would lead to nothing without a question about anybody', async () => {
  const label = () => stage.ada.rest.issues.addLabels({ ...at, issue_number: 1, labels: ['bug'] });
  const labeled = await told(label);
  expect(startsJob(labeled)).toBe(false);
  stage.forge.requests.clear();
  expect(await stage.start(labeled).outcome).toMatchObject({ code: 0, outputs: {} });
  expect(Object.keys(stage.forge.requests.by_route)).toEqual(['POST /graphql']);
});

test('what a bot says starts no job', async () => {
  const token = stage.forge.seed.actionsToken(name, { issues: 'write' });
  const said = await told(() =>
    stage.as(token).rest.issues.createComment({ ...at, issue_number: 1, body: '/run' }),
  );
  expect(startsJob(said)).toBe(false);
  await runsQuietly(said);
});

test('an event that the workflow does not listen to is no fault', async () => {
  await runsQuietly({ name: 'watch', payload: { action: 'started' } });
});
