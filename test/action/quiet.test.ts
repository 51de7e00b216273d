import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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
async function personsPull(base = 'old'): Promise<number> {
  const { data } = await fixture.ada.rest.git.getRef({ ...at, ref: 'heads/main' });
  await fixture.ada.rest.git.createRef({ ...at, ref: `refs/heads/${base}`, sha: data.object.sha });
  await fixture.forge.seed.commit(name, { 'README.md': `# Widgets, not ${base}\n` });
  const startOptions = { head: 'main', base, title: 'A change by a person', body: '' };
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

test('of other pull requests only that they are closed starts a job: runs may wait for them', async () => {
  const pull_number = await personsPull();
  const reviewed = await eventOf(() =>
    fixture.ada.rest.pulls.createReview({ ...at, pull_number, event: 'COMMENT', body: 'Hm.' }),
  );
  const closed = await eventOf(() => fixture.ada.rest.pulls.update({ ...at, pull_number, state: 'closed' }));
  expect([reviewed, closed].map((event) => [event.name, startsJob(event)])).toEqual([
    ['pull_request_review', false],
    ['pull_request', true],
  ]);
  await runsQuietly(reviewed);
  const { code, summary } = await fixture.start(closed).outcome;
  // Runs may depend on it.
  expect({ code, summary }).toEqual({ code: 0, summary: expect.stringContaining('No run was changed.') });
});

test('a comment starts a job only on a run, or if it asks for one', async () => {
  const { ada } = fixture;
  const comments = async (body: string) => startsJob(await eventOf(() => fixture.comment(1, body)));
  expect(await comments('See https://example.org/a/b.')).toBe(false);
  expect(await comments('It is red: https://github.com/acme/coxswain/actions/runs/1')).toBe(false);
  for (const asks of ['/run', '/RUN it', 'Please:\r\n/run', '- do it\n\n   /run', '/coxswain help'])
    expect(await comments(asks), asks).toBe(true);
  const edited = await eventOf(async () => {
    const { data } = await ada.rest.issues.createComment({ ...at, issue_number: 1, body: 'Hm' });
    await ada.rest.issues.updateComment({ ...at, comment_id: data.id, body: 'Hm.' });
  });
  expect(startsJob(edited)).toBe(false);
  await ada.rest.issues.addLabels({ ...at, issue_number: 1, labels: ['coxswain'] });
  for (const says of ['/steer Use a table', 'Good.\r\n\r\n/approve', '  /approve', '/coxswain approve'])
    expect(await comments(says), says).toBe(true);
  for (const says of ['Nice.', 'and/or', 'See https://github.com/acme/widgets/actions/runs/1.'])
    expect(await comments(says), says).toBe(false);
  await ada.rest.issues.removeLabel({ ...at, issue_number: 1, name: 'coxswain' });
});

test('a fork whose branch is named like ours starts no job, and has nothing looked up', async () => {
  const number = await personsPull('coxswain/old');
  const said = await eventOf(() =>
    fixture.ada.rest.pulls.createReview({ ...at, pull_number: number, event: 'COMMENT', body: 'Hm.' }),
  );
  const { data: pull } = await fixture.ada.rest.pulls.get({ ...at, pull_number: number });
  const sha = pull.head.sha;
  const pushed = (repo: unknown): GitHubEvent => {
    const pull_request = { ...pull, head: { ref: 'coxswain/x-1', sha, repo } };
    return {
      name: 'pull_request',
      payload: { ...said.payload, action: 'synchronize', before: sha, after: sha, pull_request },
    };
  };
  expect(startsJob(pushed(pull.head.repo))).toBe(true);
  for (const fork of [{ ...pull.head.repo, id: 1, full_name: 'mallory/widgets' }, null]) {
    expect(startsJob(pushed(fork))).toBe(false);
    await runsQuietly(pushed(fork));
  }
});

describe('without its label', () => {
  test('a run is heard if a comment on it begins like a command', async () => {
    const issue_number = await personsPull('silenced');
    const comments = async (body: string) =>
      startsJob(await eventOf(() => fixture.comment(issue_number, body)));
    expect(await comments('/steer Use a table')).toBe(true);
    expect(await comments('Nice.')).toBe(false);
  });

  test('that its label was removed starts a job, which another label does not', async () => {
    const issue_number = await personsPull('labelled');
    await fixture.ada.rest.issues.addLabels({ ...at, issue_number, labels: ['coxswain', 'bug'] });
    const removed = (label: string) =>
      eventOf(() => fixture.ada.rest.issues.removeLabel({ ...at, issue_number, name: label }));
    const events = [await removed('bug'), await removed('coxswain')];
    for (const example of ['coxswain', 'claude', 'codex'] as const)
      expect(events.map((event) => startsJob(event, example))).toEqual([false, true]);
  });
});

test.each(['claude', 'codex'] as const)('%s.yml pays for no comment without a command', async (example) => {
  const comments = async (body: string) => startsJob(await eventOf(() => fixture.comment(1, body)), example);
  for (const says of ['Nice.', 'and/or', 'See https://github.com/acme/widgets/actions/runs/1.'])
    expect(await comments(says), says).toBe(false);
  for (const says of ['/run', 'Good.\r\n\r\n/approve', '- do it\n\n   /run'])
    expect(await comments(says), says).toBe(true);
  const edited = async (issue_number: number) => {
    const comment_id = await fixture.comment(issue_number, 'Hm');
    const edit = () => fixture.ada.rest.issues.updateComment({ ...at, comment_id, body: 'Hm.' });
    return startsJob(await eventOf(edit), example);
  };
  // It may have approved a run, which is known by its pull request.
  expect([await edited(1), await edited(await personsPull(example))]).toEqual([false, true]);
});

describe('what a bot does to a run', () => {
  const ours = { login: 'coxswain[bot]', type: 'Bot' };
  const ada = { login: 'ada', type: 'User' };
  const dependabot = { login: 'dependabot[bot]', type: 'Bot' };

  function startsFor(action: string, { sender, user }: Record<'sender' | 'user', typeof ada>): boolean {
    const ref = user === ours ? 'coxswain/x-1' : 'my-idea';
    const repository = { full_name: name };
    const pull_request = { user, labels: [{ name: 'coxswain' }], head: { ref, repo: repository } };
    return startsJob({ name: 'pull_request', payload: { action, sender, pull_request, repository } });
  }

  test.each(['edited', 'synchronize'])("%s by Coxswain with an App's token starts no job", (action) => {
    expect(startsFor(action, { sender: ours, user: ours })).toBe(false);
    expect(startsFor(action, { sender: ours, user: ada })).toBe(false);
  });

  test('what others do starts one, but on the pull request of a person a bot can only end it', () => {
    for (const action of ['edited', 'synchronize']) {
      expect(startsFor(action, { sender: ada, user: ours })).toBe(true);
      expect(startsFor(action, { sender: ada, user: ada })).toBe(true);
      expect(startsFor(action, { sender: dependabot, user: ours })).toBe(true);
      expect(startsFor(action, { sender: dependabot, user: ada })).toBe(false);
    }
    expect(startsFor('closed', { sender: dependabot, user: ada })).toBe(true);
  });
});

test('an event that is not as GitHub documents it is named in plain words', async () => {
  const broken = { name: 'issue_comment', payload: { action: 'created', comment: { body: '/run' } } };
  const { code, log } = await fixture.start(broken).outcome;
  expect(code).toBe(1);
  expect(log).toMatch(
    /could not read the payload of issue_comment.created, which is not as GitHub documents/,
  );
  expect(log).not.toContain('"code"');
});

test('another label starts no job, and would have no effect and look up no role', async () => {
  const label = () => fixture.ada.rest.issues.addLabels({ ...at, issue_number: 1, labels: ['bug'] });
  const labeled = await eventOf(label);
  expect(startsJob(labeled)).toBe(false);
  fixture.forge.requests.clear();
  expect(await fixture.start(labeled).outcome).toMatchObject({ code: 0, outputs: {} });
  expect(Object.keys(fixture.forge.requests.by_route)).toEqual([
    'POST /graphql',
    'GET /repos/{owner}/{repo}/contents/{path}', // which label starts runs
  ]);
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
