import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startForge } from '@coxswain/forge';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fixture, httpErrorOf, startFixture } from './fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(async () => {
  expect(fixture.recorder.problems).toEqual([]);
  expect(fixture.recorder.checked()).toBeGreaterThan(10);
  await fixture.end();
});

test('a delivery is signed over its bytes and names its event, hook and installation', async () => {
  const repository = await fixture.repository();
  await fixture.deliveriesDone();
  fixture.received.length = 0;
  await fixture.person('ada').issues.create({ ...repository.at, title: 'Überlauf' });
  await fixture.deliveriesDone();
  const [hook] = fixture.received;
  const signature = createHmac('sha256', 'not very secret')
    .update(hook?.body ?? '')
    .digest('hex');
  expect(hook?.headers).toMatchObject({
    'x-hub-signature-256': `sha256=${signature}`,
    'x-github-event': 'issues',
    'x-github-delivery': expect.stringMatching(/^[0-9a-f-]{36}$/),
    'x-github-hook-id': String(fixture.app.hook_id),
    'user-agent': expect.stringMatching(/^GitHub-Hookshot\//),
    'content-type': 'application/json',
  });
  expect(hook?.payload).toMatchObject({
    installation: { id: repository.installation },
    repository: { full_name: repository.name },
    sender: { login: 'ada' },
  });
});

test('a failed delivery is listed, and is not sent again', async () => {
  const repository = await fixture.repository();
  await fixture.deliveriesDone();
  fixture.received.length = 0;
  fixture.receiver.status = 500;
  await fixture.person('ada').issues.create({ ...repository.at, title: 'Lost' });
  await fixture.deliveriesDone();
  fixture.receiver.status = 200;
  const app = fixture.asApp();
  const { data } = await app.apps.listWebhookDeliveries({ per_page: 1 });
  const [failed] = data;
  expect(failed).toMatchObject({ event: 'issues', action: 'opened', status_code: 500, redelivery: false });
  const delivery_id = failed?.id ?? 0;
  const { data: whole } = await app.apps.getWebhookDelivery({ delivery_id });
  expect(whole.request.payload).toMatchObject({ issue: { title: 'Lost' } });
  expect(fixture.received.map((one) => one.headers['x-github-delivery'])).toEqual([failed?.guid]);
});

test('deliveries are listed newest first in pages with a cursor', async () => {
  const repository = await fixture.repository();
  for (const title of ['1', '2', '3']) await fixture.person('ada').issues.create({ ...repository.at, title });
  await fixture.deliveriesDone();
  const app = fixture.asApp();
  const { data: all } = await app.apps.listWebhookDeliveries({ per_page: 100 });
  const { data: first, headers } = await app.apps.listWebhookDeliveries({ per_page: 2 });
  const next = /<([^>]+)>; rel="next"/.exec(headers.link ?? '')?.[1] ?? '';
  const { data: second } = await app.request(`GET ${next}`);
  expect([...first, ...second].map(({ id }) => id)).toEqual(all.slice(0, 4).map(({ id }) => id));
});

test('an event is delivered only to Apps with a subscription and the permission', async () => {
  const repository = await fixture.repository({ permissions: { contents: 'read' } });
  await fixture.deliveriesDone();
  fixture.received.length = 0;
  await fixture.person('ada').issues.create({ ...repository.at, title: 'Not delivered' });
  await fixture.deliveriesDone();
  expect(fixture.received).toEqual([]);
});

test('a push is delivered with its commits, and whether it was forced or deleted the branch', async () => {
  const repository = await fixture.repository();
  const clone = await fixture.clone(repository);
  const first = await clone.commit('First', { 'a.txt': 'a\n' });
  await fixture.deliveriesDone();
  fixture.received.length = 0;
  await clone.git('push', '--quiet', 'origin', 'HEAD:refs/heads/x');
  await clone.git('commit', '--quiet', '--amend', '--message', 'Amended');
  await clone.git('push', '--quiet', '--force', 'origin', 'HEAD:refs/heads/x');
  await clone.git('push', '--quiet', 'origin', ':refs/heads/x');
  await clone.git('push', '--quiet', 'origin', 'HEAD:refs/coxswain/open/1');
  await fixture.deliveriesDone();
  const pushes = fixture.received.filter(({ event }) => event === 'push').map(({ payload }) => payload);
  expect(pushes).toEqual([
    expect.objectContaining({ ref: 'refs/heads/x', created: true, forced: false, after: first }),
    expect.objectContaining({ before: first, created: false, forced: true }),
    expect.objectContaining({ deleted: true, after: '0'.repeat(40), head_commit: null }),
  ]);
  expect(pushes[0]?.['commits']).toMatchObject([{ id: first, message: 'First', added: ['a.txt'] }]);
});

test('a fault applies to the next matching request and is then used up', async () => {
  const repository = await fixture.repository();
  fixture.forge.seed.fault({ method: 'GET', path: /\/issues$/, times: 1, status: 502 });
  const list = () => fixture.person('ada').issues.listForRepo(repository.at);
  expect((await httpErrorOf(list())).status).toBe(502);
  expect((await list()).status).toBe(200);
});

test('a connection that is dropped after the request took effect does not undo it', async () => {
  const repository = await fixture.repository();
  const create = (title: string) => fixture.person('ada').issues.create({ ...repository.at, title });
  fixture.forge.seed.fault({ method: 'POST', path: /\/issues$/, times: 1, drop: 'before' });
  await expect(create('Never')).rejects.toThrow();
  fixture.forge.seed.fault({ method: 'POST', path: /\/issues$/, times: 1, drop: 'after' });
  await expect(create('Once')).rejects.toThrow();
  const { data } = await fixture.person('ada').issues.listForRepo(repository.at);
  expect(data.map(({ title }) => title)).toEqual(['Once']);
});

test('a push can fail after it took effect', async () => {
  const repository = await fixture.repository();
  const clone = await fixture.clone(repository);
  await clone.commit('Work');
  fixture.forge.seed.fault({ method: 'POST', path: /git-receive-pack/, times: 1, drop: 'after' });
  expect((await clone.attempt('push', 'origin', 'HEAD:refs/heads/x')).code).not.toBe(0);
  expect(await clone.git('ls-remote', 'origin', 'refs/heads/x')).not.toBe('');
});

test('requests are counted separately for the API and Git', async () => {
  const repository = await fixture.repository();
  fixture.forge.requests.clear();
  await fixture.person('ada').issues.create({ ...repository.at, title: 'Counted' });
  await fixture.person('ada').issues.listForRepo(repository.at);
  await fixture.clone(repository);
  const { total, writes, by_route, git } = fixture.forge.requests;
  expect({ total, writes, by_route }).toEqual({
    total: 2,
    writes: 1,
    by_route: { 'POST /repos/{owner}/{repo}/issues': 1, 'GET /repos/{owner}/{repo}/issues': 1 },
  });
  expect(git.length).toBeGreaterThan(1);
});

test('without a website there is no page, and the API works without its prefix, too', async () => {
  const accept = 'text/html';
  const shown = await fetch(`${fixture.forge.url}/ada/widgets/pull/2`, { headers: { accept } });
  expect(shown.status).toBe(404);
  const repository = await fixture.repository();
  const plain = await fetch(`${fixture.forge.url}/repos/${repository.name}`);
  expect(await plain.json()).toMatchObject({ full_name: repository.name });
});

test('a forge loads its data from its folder', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'forge-kept-'));
  const first = await startForge({ dir });
  const token = first.seed.addUser('eve');
  await first.seed.addRepository({ owner: 'eve', name: 'kept', files: { 'a.txt': 'a\n' } });
  await first.stop();
  const second = await startForge({ dir });
  const response = await fetch(`${second.apiUrl}/repos/eve/kept/contents/a.txt`, {
    headers: { authorization: `token ${token}` },
  });
  expect(await response.json()).toMatchObject({ content: 'YQo=\n' });
  await second.stop();
  rmSync(dir, { recursive: true, force: true });
});
