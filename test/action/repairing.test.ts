import { afterEach, expect, test } from 'vitest';
import { ActionsFixture, at } from './actions-fixture.ts';
import { repositoryFiles } from './repository.ts';

// Every job is a separate process with Git, an agent and verifiers.
/**
 * A failed task in a repository that has only the Action: what is done with a workflow's token starts no
 * workflow, so each job also does what follows from what it does.
 */

let fixture: ActionsFixture;
afterEach(() => fixture.end());

const path = '.github/coxswain.yml';

/** Does only what it is told in small parts. */
const agent = `turns:
  - on: { prompt: Write the price in cents }
    steps:
      - { write: price.txt, content: "119 cents\\n" }
      - report: { summary: Wrote the price., status: done }
  - on: { prompt: Name the currency }
    steps:
      - { append: price.txt, content: "EUR\\n" }
      - report: { summary: Named the currency., status: done }
  - steps:
      - { write: price.txt, content: "wrong\\n" }
      - report: { summary: Wrote a price., status: done }
`;

const config = `${repositoryFiles[path]}attempts: { max: 1 }\napproval: { finish: merge }\n`;

const twoTasks = [
  '/spawn',
  '```yaml coxswain',
  'name: cents',
  'description: Write the price in cents.',
  '---',
  'name: currency',
  'description: Name the currency.',
  'depends_on: [cents]',
  '```',
].join('\n');

/** A run on a labelled issue whose agent could not do it. */
async function failedRun(): Promise<{ readonly issue: number; readonly number: number }> {
  const issue = await fixture.labeledIssue('The price and its currency');
  const { code, outputs } = await fixture.onlyFinishedJob();
  expect({ code, ...outputs }).toMatchObject({ code: 0, phase: 'awaiting_resolution' });
  return { issue, number: Number(outputs['pull-request']) };
}

/** A run of another issue, with these words, which has to wait. */
async function blockedRun(body: string): Promise<number> {
  const { data } = await fixture.ada.rest.issues.create({ ...at, title: 'Name the currency', body });
  await fixture.ada.rest.issues.addLabels({ ...at, issue_number: data.number, labels: ['coxswain'] });
  const { outputs } = await fixture.onlyFinishedJob();
  expect(outputs).toMatchObject({ phase: 'blocked' });
  return Number(outputs['pull-request']);
}

async function phaseOf(number: number) {
  return (await fixture.ledger(number)).state.standing.phase;
}

async function issueOf(number: number) {
  return (await fixture.ada.rest.issues.get({ ...at, issue_number: number })).data;
}

test('a failed task is replaced by two, whose merges finish the issue, in the jobs of three comments', async () => {
  fixture = await ActionsFixture.start({ files: { 'tools/agent.yml': agent, [path]: config } });
  const { issue, number } = await failedRun();

  await fixture.comment(number, twoTasks);
  expect(await fixture.onlyFinishedJob()).toMatchObject({ event: 'issue_comment', code: 0 });
  expect(await fixture.pull(number)).toMatchObject({ state: 'closed', merged: false });
  const { made = [] } = (await fixture.ledger(number)).state.replaced_by ?? {};
  expect(made.map(({ name }) => name)).toEqual(['cents', 'currency']);
  const [cents = 0, currency = 0] = made.map((each) => each.number);
  expect([await phaseOf(cents), await phaseOf(currency)]).toEqual(['awaiting_approval', 'blocked']);

  // What is asked for now waits for the issue, which we close ourselves with the last of the two.
  const waiting = await blockedRun(`Name the currency.\n\nDepends on #${issue}`);

  await fixture.comment(cents, '/approve');
  expect(await fixture.onlyFinishedJob()).toMatchObject({ code: 0 });
  expect([await phaseOf(cents), await phaseOf(currency)]).toEqual(['done', 'awaiting_approval']);
  expect(await issueOf(issue)).toMatchObject({ state: 'open' });

  fixture.advanceClock({ seconds: 10 });
  await fixture.comment(currency, '/approve');
  expect(await fixture.onlyFinishedJob()).toMatchObject({ code: 0 });
  expect(await phaseOf(currency)).toBe('done');
  expect(await issueOf(issue)).toMatchObject({ state: 'closed', state_reason: 'completed' });
  expect(await phaseOf(waiting)).toBe('awaiting_approval');
  const file = { path: 'price.txt', mediaType: { format: 'raw' } };
  const { data } = await fixture.ada.rest.repos.getContent({ ...at, ...file });
  expect(String(data)).toBe('119 cents\nEUR\n');
});

/** Where the repository has no configuration, the inputs of the workflow are that. */
async function withoutFile(example: 'claude' | 'codex'): Promise<ActionsFixture> {
  const inputs = { agent: '{ use: scripted, script: tools/agent.yml }', verifiers: 'test: node test.mjs' };
  return ActionsFixture.start({ example, files: { 'tools/agent.yml': agent, [path]: null }, inputs });
}

test('with examples/claude.yml a task is changed, and what depends on it begins when a person merges it', async () => {
  fixture = await withoutFile('claude');
  const { issue, number } = await failedRun();
  const waiting = await blockedRun(`Depends on #${issue}`);

  await fixture.comment(number, '/retry\n```yaml coxswain\ndescription: Write the price in cents.\n```');
  expect((await fixture.onlyFinishedJob()).outputs).toMatchObject({ phase: 'awaiting_approval' });
  fixture.advanceClock({ seconds: 10 });
  await fixture.comment(number, '/approve');
  expect((await fixture.onlyFinishedJob()).outputs).toMatchObject({ phase: 'approved' });
  expect(await phaseOf(waiting)).toBe('blocked');

  await fixture.ada.rest.pulls.merge({ ...at, pull_number: number });
  for (const { code } of await fixture.finishedJobs()) expect(code).toBe(0);
  expect(await issueOf(issue)).toMatchObject({ state: 'closed' });
  expect([await phaseOf(number), await phaseOf(waiting)]).toEqual(['done', 'awaiting_approval']);
});

test('with examples/codex.yml a task is replaced by starting the workflow', async () => {
  fixture = await withoutFile('codex');
  // A manual start may run the workflow of any branch.
  const GITHUB_WORKFLOW_REF = 'acme/widgets/.github/workflows/coxswain.yml@refs/heads/main';
  fixture.environment = { ...fixture.environment, GITHUB_WORKFLOW_REF };
  const { outputs } = await fixture.dispatch({ prompt: 'Write the price and its currency.' });
  expect(outputs).toMatchObject({ phase: 'awaiting_resolution' });
  const number = Number(outputs['pull-request']);
  const command = [
    '/spawn',
    '```yaml coxswain',
    'description: Write the price in cents.',
    'critical: true',
    '```',
  ].join('\\n');
  expect(await fixture.dispatch({ run: `#${number}`, command })).toMatchObject({ code: 0 });
  const [made] = (await fixture.ledger(number)).state.replaced_by?.made ?? [];
  const { state } = await fixture.ledger(made?.number ?? 0);
  expect(state).toMatchObject({
    standing: { phase: 'awaiting_approval' },
    settings: { critical: true, agent: { use: 'scripted' } },
    requested_by: { login: 'ada' },
  });
});

test('what depends on a task that is given up is told, and begins when a maintainer says so', async () => {
  fixture = await ActionsFixture.start({ files: { 'tools/agent.yml': agent, [path]: config } });
  const { issue, number } = await failedRun();
  const waiting = await blockedRun(`Depends on #${issue}`);

  await fixture.comment(number, '/abandon Nobody needs prices.');
  expect(await fixture.onlyFinishedJob()).toMatchObject({ code: 0 });
  expect(await fixture.pull(number)).toMatchObject({ state: 'closed', merged: false });
  expect((await fixture.replies(issue)).at(-1)).toContain('Nobody needs prices.');
  expect(await phaseOf(waiting)).toBe('blocked');
  expect((await fixture.replies(waiting)).join('\n')).toContain(`#${number} has ended without a merge`);

  await fixture.comment(waiting, '/resume');
  expect((await fixture.onlyFinishedJob()).outputs).toMatchObject({ phase: 'awaiting_approval' });
});

test('what other people close wakes a run, and the schedule finds what no job was started for', async () => {
  fixture = await ActionsFixture.start({ files: { 'tools/agent.yml': agent, [path]: config } });
  const waiting: number[] = [];
  for (const title of ['Write the price in cents', 'Name the currency']) {
    const head = title.replaceAll(' ', '-');
    const { data: main } = await fixture.ada.rest.git.getRef({ ...at, ref: 'heads/main' });
    await fixture.ada.rest.git.createRef({ ...at, ref: `refs/heads/${head}`, sha: main.object.sha });
    const content = Buffer.from(title).toString('base64');
    const file = { path: `${head}.txt`, message: 'By hand', content, branch: head };
    await fixture.ada.rest.repos.createOrUpdateFileContents({ ...at, ...file });
    const { data: pull } = await fixture.ada.rest.pulls.create({ ...at, head, base: 'main', title: head });
    const run = await blockedRun(`${title}.\n\nDepends on #${pull.number}`);
    waiting.push(run);
    fixture.listening = waiting.length === 1;
    await fixture.ada.rest.pulls.merge({ ...at, pull_number: pull.number });
    await fixture.finishedJobs();
    fixture.listening = true;
    expect(await phaseOf(run)).toBe(waiting.length === 1 ? 'awaiting_approval' : 'blocked');
  }
  expect(await fixture.sweep()).toMatchObject({ code: 0 });
  expect(await phaseOf(waiting[1] ?? 0)).toBe('awaiting_approval');
});
