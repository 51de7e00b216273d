import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { parseCommand } from '../../src/github/markdown/command-parser.ts';
import { ada } from '../steering/samples.ts';
import { type PageFixture, startFixture } from './page-fixture.ts';
import { type Visitor, visitorOf } from './visitor.ts';
import { at } from './waiting-run.ts';

/** A failed task is repaired on the page, without scripts. */
let fixture: PageFixture;
let visitor: Visitor;
let about: string;

beforeAll(async () => {
  fixture = await startFixture();
  visitor = await visitorOf(fixture);
  await failThrice();
}, 60_000);

beforeEach(() => {
  const { standing } = fixture.run.state;
  about = 'interaction' in standing ? standing.interaction.id : '';
});

afterAll(() => fixture?.end());

async function failThrice(): Promise<void> {
  const { run } = fixture;
  run.says(ada, '/steer more').agent.finishes().verifiers.fail('test');
  run.agent.finishes().verifiers.fail('test').agent.finishes().verifiers.fail('test');
  await fixture.record();
}

const path = (below = '') => `/acme/api/pull/${fixture.pull}${below}`;

const textOf = async (response: Promise<Response>) => (await response).text();

test('the run shows what was asked and tried, and leads to the forms', async () => {
  const page = await textOf(visitor.get(path()));
  for (const text of ['What was asked', 'What was tried', 'Retry Task (with modifications)'])
    expect(page).toContain(text);
  expect(page).toContain(`<form method="get" action="${path('/spawn')}">`);
  expect(page).toContain(`<form method="get" action="${path('/abandon')}">`);
});

test.each(['retry', 'spawn', 'abandon'])('the form of /%s has a page of its own', async (action) => {
  const response = await visitor.get(path(`/${action}`));
  expect(response.status).toBe(200);
  expect(await response.text()).toContain(`id="${action}-form"`);
});

test('a mistake stands at its field, what was typed is kept, and nothing is posted', async () => {
  const before = await fixture.commentsOn(fixture.pull);
  const fields = { about, title: 'x'.repeat(200), description: 'Kept <b>words</b>', settings: 'colour: red' };
  const response = await visitor.post(path('/retry'), fields);
  expect(response.status).toBe(422);
  const page = await response.text();
  expect(page).toContain('aria-describedby="retry-0-title-problem" aria-invalid="true"');
  expect(page).toContain(
    'aria-describedby="retry-0-settings-help retry-0-settings-problem" aria-invalid="true"',
  );
  expect(page).toContain('Kept &lt;b&gt;words&lt;/b&gt;');
  expect(await fixture.commentsOn(fixture.pull)).toEqual(before);
});

test('one more task can be added without scripts', async () => {
  const page = await textOf(visitor.post(path('/spawn'), { about, description: 'The first', add: '1' }));
  expect(page).toContain('The first');
  expect(page).toContain('id="spawn-1-description"');
});

test('a form that was opened before the task failed again is not posted, and is kept', async () => {
  const response = await visitor.post(path('/retry'), { about: 'interrupt:7:1', description: 'Old words' });
  expect(response.status).toBe(409);
  const page = await response.text();
  expect(page).toContain('It has failed again');
  expect(page).toContain('Old words');
});

test('a form that is sent without a session is shown to whoever wrote it, and nobody else', async () => {
  const body = new URLSearchParams({ about, description: 'Long <b>words</b>' });
  const send = (origin: string) =>
    fetch(fixture.url + path('/retry'), { method: 'POST', body, headers: { origin } });
  const response = await send(fixture.url);
  expect(response.status).toBe(401);
  expect(await response.text()).toContain('Long &lt;b&gt;words&lt;/b&gt;');
  expect(await textOf(send('https://evil.example'))).not.toContain('words');
});

test('what the browser has kept is shown again with as many tasks, and not posted', async () => {
  const before = await fixture.commentsOn(fixture.pull);
  const page = await textOf(visitor.post(path('/spawn'), { about, description: 'Kept', draft: '1' }));
  expect(page).toContain('Kept');
  expect(page).not.toContain('role="alert" data-notice>Nothing');
  expect(await fixture.commentsOn(fixture.pull)).toEqual(before);
});

test('what GitHub refuses is said, and what was typed is kept', async () => {
  const body = { message: 'The conversation is locked' };
  fixture.forge.seed.fault({ times: 1, path: /\/comments$/, method: 'POST', status: 403, body });
  const response = await visitor.post(path('/retry'), { about, description: 'My careful words' });
  expect(response.status).toBe(403);
  const page = await response.text();
  expect(page).toContain('The conversation is locked');
  expect(page).toContain('My careful words');
});

test('the form posts the comment that a person would write', async () => {
  const form = await textOf(visitor.get(path('/retry')));
  expect(form).toContain(fixture.run.state.task.title);
  const { title, kind } = fixture.run.state.task;
  const fields = { about, title, kind, description: 'Take the clock of the server.' };
  const response = await visitor.post(path('/retry'), fields);
  expect([response.status, response.headers.get('location')]).toEqual([303, path()]);
  const comment = (await fixture.commentsOn(fixture.pull)).at(-1) ?? '';
  expect(parseCommand(comment)).toMatchObject({
    type: 'retry',
    task_id: fixture.run.state.task.id,
    changes: { description: 'Take the clock of the server.' },
  });
  expect(comment).not.toContain('title:');
  expect(await textOf(visitor.get(path()))).toContain('Posted <code>/retry</code>');
});

test('while one resolution waits to be taken up, another is refused, and what was typed is kept', async () => {
  const response = await visitor.post(path('/abandon'), { about, reason: 'My careful reason' });
  expect(response.status).toBe(409);
  const page = await response.text();
  expect(page).toContain('/retry was posted just now, and the first command counts');
  expect(page).toContain('My careful reason');
});

test('an issue is described in fields, and the page leads to its run', async () => {
  const issue = `/acme/api/issues/${fixture.issue}`;
  expect(await textOf(visitor.get(issue))).toContain('id="run-form"');
  const fields = { about: '', title: 'Dates', acceptance_criteria: 'npm test passes' };
  const response = await visitor.post(`${issue}/run`, fields);
  expect(response.headers.get('location')).toMatch(`${issue}?started=`);
  expect((await fixture.commentsOn(fixture.issue)).at(-1)).toBe(
    '/run\n\n```yaml coxswain\ntitle: Dates\nacceptance_criteria:\n  - npm test passes\n```',
  );
});

test('a form from another site is refused', async () => {
  const response = await fetch(fixture.url + path('/abandon'), { method: 'POST', body: 'reason=no' });
  expect([401, 403]).toContain(response.status);
});

test('who may only read is told the role it takes', async () => {
  const other = await startFixture();
  other.forge.seed.setCollaborator('acme/api', 'ada', 'read');
  const guest = await visitorOf(other);
  const response = await guest.get(`/acme/api/pull/${other.pull}/retry`);
  expect(response.status).toBe(403);
  expect(await response.text()).toContain('/retry needs write; your role here is read.');
  await other.end();
});

test('once the run goes on, there is nothing to resolve', async () => {
  await visitor.post(path('/comment'), { command: '', text: 'Hello again' });
  fixture.run.says(ada, '/retry').agent.finishes();
  await fixture.record();
  const body = (await fixture.ada.rest.pulls.get({ ...at, pull_number: fixture.pull })).data.body;
  expect(body).toContain('verifying');
  await expect
    .poll(async () => (await visitor.get(path('/retry'))).status, { timeout: 20_000, interval: 500 })
    .toBe(409);
});
