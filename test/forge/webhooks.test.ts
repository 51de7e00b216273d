import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startForge } from '@coxswain/forge';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { refusal, type Stage, setStage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage({
    onHtml: (path) => (path.includes('/pull/') ? `http://page.test${path}` : undefined),
  });
});
afterAll(async () => {
  expect(stage.recorder.problems).toEqual([]);
  expect(stage.recorder.checked()).toBeGreaterThan(10);
  await stage.end();
});

test('a delivery is signed over its bytes and names its event, hook and installation', async () => {
  const place = await stage.place();
  await stage.settled();
  stage.received.length = 0;
  await stage.person('ada').issues.create({ ...place.at, title: 'Überlauf' });
  await stage.settled();
  const [hook] = stage.received;
  const signature = createHmac('sha256', 'not very secret')
    .update(hook?.body ?? '')
    .digest('hex');
  expect(hook?.headers).toMatchObject({
    'x-hub-signature-256': `sha256=${signature}`,
    'x-github-event': 'issues',
    'x-github-delivery': expect.stringMatching(/^[0-9a-f-]{36}$/),
    'x-github-hook-id': String(stage.app.hook_id),
    'user-agent': expect.stringMatching(/^GitHub-Hookshot\//),
    'content-type': 'application/json',
  });
  expect(hook?.payload).toMatchObject({
    installation: { id: place.installation },
    repository: { full_name: place.name },
    sender: { login: 'ada' },
  });
});

test('a failed delivery is not sent again by itself, is listed, and is sent again on demand', async () => {
  const place = await stage.place();
  await stage.settled();
  stage.received.length = 0;
  stage.answer.status = 500;
  await stage.person('ada').issues.create({ ...place.at, title: 'Lost' });
  await stage.settled();
  stage.answer.status = 200;
  const app = stage.asApp();
  const { data } = await app.apps.listWebhookDeliveries({ per_page: 1 });
  const [failed] = data;
  expect(failed).toMatchObject({ event: 'issues', action: 'opened', status_code: 500, redelivery: false });
  const delivery_id = failed?.id ?? 0;
  const { data: whole } = await app.apps.getWebhookDelivery({ delivery_id });
  expect(whole.request.payload).toMatchObject({ issue: { title: 'Lost' } });
  await app.apps.redeliverWebhookDelivery({ delivery_id });
  await stage.settled();
  expect(stage.received.map((one) => one.headers['x-github-delivery'])).toEqual([failed?.guid, failed?.guid]);
  const { data: after } = await app.apps.listWebhookDeliveries({ per_page: 1 });
  expect(after[0]).toMatchObject({ guid: failed?.guid, redelivery: true, status_code: 200 });
});

test('deliveries are listed newest first in pages with a cursor', async () => {
  const place = await stage.place();
  for (const title of ['1', '2', '3']) await stage.person('ada').issues.create({ ...place.at, title });
  await stage.settled();
  const app = stage.asApp();
  const { data: all } = await app.apps.listWebhookDeliveries({ per_page: 100 });
  const { data: first, headers } = await app.apps.listWebhookDeliveries({ per_page: 2 });
  const next = /<([^>]+)>; rel="next"/.exec(headers.link ?? '')?.[1] ?? '';
  const { data: second } = await app.request(`GET ${next}`);
  expect([...first, ...second].map(({ id }) => id)).toEqual(all.slice(0, 4).map(({ id }) => id));
});

test('an event goes out only where it was subscribed to and permitted', async () => {
  const place = await stage.place({ permissions: { contents: 'read' } });
  await stage.settled();
  stage.received.length = 0;
  await stage.person('ada').issues.create({ ...place.at, title: 'Unheard' });
  await stage.settled();
  expect(stage.received).toEqual([]);
});

test('a push is told with its commits, and whether it was forced or deleted the branch', async () => {
  const place = await stage.place();
  const clone = await stage.clone(place);
  const first = await clone.commit('First', { 'a.txt': 'a\n' });
  await stage.settled();
  stage.received.length = 0;
  await clone.git('push', '--quiet', 'origin', 'HEAD:refs/heads/x');
  await clone.git('commit', '--quiet', '--amend', '--message', 'Amended');
  await clone.git('push', '--quiet', '--force', 'origin', 'HEAD:refs/heads/x');
  await clone.git('push', '--quiet', 'origin', ':refs/heads/x');
  await clone.git('push', '--quiet', 'origin', 'HEAD:refs/coxswain/open/1');
  await stage.settled();
  const pushes = stage.received.filter(({ event }) => event === 'push').map(({ payload }) => payload);
  expect(pushes).toEqual([
    expect.objectContaining({ ref: 'refs/heads/x', created: true, forced: false, after: first }),
    expect.objectContaining({ before: first, created: false, forced: true }),
    expect.objectContaining({ deleted: true, after: '0'.repeat(40), head_commit: null }),
  ]);
  expect(pushes[0]?.['commits']).toMatchObject([{ id: first, message: 'First', added: ['a.txt'] }]);
});

test('a fault answers the next matching request and then is used up', async () => {
  const place = await stage.place();
  stage.forge.seed.fault({ method: 'GET', path: /\/issues$/, times: 1, status: 502 });
  const list = () => stage.person('ada').issues.listForRepo(place.at);
  expect((await refusal(list())).status).toBe(502);
  expect((await list()).status).toBe(200);
});

test('a connection cut after the fact leaves the fact behind', async () => {
  const place = await stage.place();
  const create = (title: string) => stage.person('ada').issues.create({ ...place.at, title });
  stage.forge.seed.fault({ method: 'POST', path: /\/issues$/, times: 1, drop: 'before' });
  await expect(create('Never')).rejects.toThrow();
  stage.forge.seed.fault({ method: 'POST', path: /\/issues$/, times: 1, drop: 'after' });
  await expect(create('Once')).rejects.toThrow();
  const { data } = await stage.person('ada').issues.listForRepo(place.at);
  expect(data.map(({ title }) => title)).toEqual(['Once']);
});

test('a push can fail after it took effect', async () => {
  const place = await stage.place();
  const clone = await stage.clone(place);
  await clone.commit('Work');
  stage.forge.seed.fault({ method: 'POST', path: /git-receive-pack/, times: 1, drop: 'after' });
  expect((await clone.attempt('push', 'origin', 'HEAD:refs/heads/x')).code).not.toBe(0);
  expect(await clone.git('ls-remote', 'origin', 'refs/heads/x')).not.toBe('');
});

test('requests are counted, API and Git apart', async () => {
  const place = await stage.place();
  stage.forge.requests.clear();
  await stage.person('ada').issues.create({ ...place.at, title: 'Counted' });
  await stage.person('ada').issues.listForRepo(place.at);
  await stage.clone(place);
  const { total, writes, by_route, git } = stage.forge.requests;
  expect({ total, writes, by_route }).toEqual({
    total: 2,
    writes: 1,
    by_route: { 'POST /repos/{owner}/{repo}/issues': 1, 'GET /repos/{owner}/{repo}/issues': 1 },
  });
  expect(git.length).toBeGreaterThan(1);
});

test('a browser is led on to the page, and the API answers without its prefix too', async () => {
  const shown = await fetch(`${stage.forge.url}/ada/widgets/pull/2`, { redirect: 'manual' });
  expect(shown.headers.get('location')).toBe('http://page.test/ada/widgets/pull/2');
  const place = await stage.place();
  const plain = await fetch(`${stage.forge.url}/repos/${place.name}`);
  expect(await plain.json()).toMatchObject({ full_name: place.name });
});

test('a forge with a folder of its own knows everything again when started there', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'forge-kept-'));
  const first = await startForge({ dir });
  const token = first.seed.addUser('eve');
  await first.seed.addRepository({ owner: 'eve', name: 'kept', files: { 'a.txt': 'a\n' } });
  await first.stop();
  const second = await startForge({ dir });
  const answer = await fetch(`${second.apiUrl}/repos/eve/kept/contents/a.txt`, {
    headers: { authorization: `token ${token}` },
  });
  expect(await answer.json()).toMatchObject({ content: 'YQo=\n' });
  await second.stop();
  rmSync(dir, { recursive: true, force: true });
});
