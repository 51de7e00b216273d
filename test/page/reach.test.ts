import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PageFixture, startFixture } from './page-fixture.ts';
import { type Visitor, visitorOf } from './visitor.ts';

/** The page where other machines can reach it: nobody can tell there who says a word. */

let fixture: PageFixture;
let visitor: Visitor;
let pull = '';

beforeAll(async () => {
  fixture = await startFixture('network');
  visitor = await visitorOf(fixture);
  pull = `/acme/api/pull/${fixture.pull}`;
}, 30_000);

afterAll(() => fixture.end());

test('words that settle are not offered, and the page says where they are said', async () => {
  const page = await (await visitor.get(pull)).text();
  expect(page).not.toContain('value="approve"');
  expect(page).toContain("it acts with one person's account");
  expect(page).toMatch(/<code>\/approve<\/code>[\s\S]*has to be used <a href="[^"]*\/acme\/api\/pull\/\d+"/);
  expect(page).toMatch(/Only on GitHub:[\s\S]*id="command-approve"/);
  expect(page).not.toContain('data-insert="/approve ');
  expect(page).toContain('value="steer"');
});

test.each([
  { command: 'approve', text: '' },
  { command: 'allow', text: '' },
  { command: 'deny', text: 'no' },
  { command: '', text: '/approve' },
  { command: '', text: '  /APPROVE' },
  { command: '', text: '/coxswain approve' },
  { command: '', text: 'It looks good.\n\n/approve\n' },
  { command: '', text: '\u200b/approve' },
  { command: '', text: '/app\u0000rove' },
  { command: '', text: '~~~\n\u0000~~~\n/approve' },
])('$command $text is not accepted', async (fields) => {
  for (const path of [pull, `/acme/api/issues/${fixture.pull}`]) {
    const before = await fixture.commentsOn(fixture.pull);
    const answer = await visitor.post(`${path}/comment`, fields);
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain('Use it on GitHub.');
    expect(await fixture.commentsOn(fixture.pull)).toEqual(before);
  }
});

test('what begins as a steer is none of them', async () => {
  const fields = { command: 'steer', text: '/approve' };
  const before = await fixture.commentsOn(fixture.pull);
  expect((await visitor.post(`${pull}/comment`, fields)).status).toBe(409);
  expect((await visitor.post(`${pull}/comment`, { command: 'budget', text: '+10m' })).status).toBe(400);
  expect(await fixture.commentsOn(fixture.pull)).toEqual(before);
  const meant = await visitor.post(`${pull}/comment`, { ...fields, asked_about: '/approve' });
  expect(meant.status).toBe(303);
  expect((await fixture.commentsOn(fixture.pull)).at(-1)).toBe('/steer /approve');
});

test.each([
  { command: 'steer', text: 'Use the clock' },
  { command: 'reject', text: 'Not wanted' },
  { command: '', text: 'Somebody should `/approve` this.' },
  { command: '', text: '> /approve' },
  { command: '', text: '/status' },
])('$command $text is accepted', async (fields) => {
  const answer = await visitor.post(`${pull}/comment`, fields);
  expect(answer.status).toBe(303);
  expect((await fixture.commentsOn(fixture.pull)).at(-1)).toContain(fields.text);
});
