import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fixture, startFixture } from './fixture.ts';

let fixture: Fixture;
let time = Date.parse('2026-03-01T10:00:00Z');
beforeAll(async () => {
  fixture = await startFixture({ now: () => new Date(time) });
});
afterAll(async () => {
  expect(fixture.recorder.problems).toEqual([]);
  await fixture.end();
});

const full = { mediaType: { format: 'full' } };

test('an image of a text can be read at the address in its HTML, for a while', async () => {
  const { at } = await fixture.repository({ private: true });
  const ada = fixture.person('ada');
  const url = fixture.forge.seed.addAttachment('image/png', Buffer.from('image'));
  const body = `See ![a "b"](${url}) <b> \`![c](${url})\``;
  const { data: issue } = await ada.issues.create({ ...at, title: 'Odd', body });
  await ada.issues.createComment({ ...at, issue_number: issue.number, body });

  const plain = await ada.issues.get({ ...at, issue_number: issue.number });
  expect(plain.data.body_html).toBeUndefined();
  const { data } = await ada.issues.get({ ...at, issue_number: issue.number, ...full });
  expect(data).toMatchObject({ body, body_text: body });
  const { data: comments } = await ada.issues.listComments({ ...at, issue_number: issue.number, ...full });
  expect(comments[0]?.body_html).toContain('<img src=');

  const html = data.body_html ?? '';
  const addresses = [...html.matchAll(/<img src="([^"]*)"/g)].map(([, address = '']) => address);
  expect(addresses).toHaveLength(1);
  const [signed = ''] = addresses;
  expect((await fetch(url)).status).toBe(404);
  const response = await fetch(signed);
  expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
    200,
    'image/png',
    'image',
  ]);
  expect((await fetch(signed.replace(/.$/, 'x'))).status).toBe(404);
  time += 6 * 60_000;
  expect((await fetch(signed)).status).toBe(404);
});
