import type { ForgeRequest, RequestHook } from '@coxswain/forge';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Fixture, startFixture } from './fixture.ts';

const passThrough: RequestHook = (_, next) => next();
let hook = passThrough;
let fixture: Fixture;

beforeAll(async () => {
  fixture = await startFixture({ onRequest: (request, next) => hook(request, next) });
});
afterEach(() => {
  hook = passThrough;
});
afterAll(() => fixture.end());

test('the hook gets requests of the API and of Git before they are processed', async () => {
  const repository = await fixture.repository();
  const seen: ForgeRequest[] = [];
  hook = (request, next) => {
    seen.push(request);
    return next();
  };
  await fixture.person('ada').issues.create({ ...repository.at, title: 'Leak' });
  await fixture.person('ada').graphql('{ viewer { login } }');
  await fixture.clone(repository);
  const lines = seen.map(({ kind, method, path }) => `${kind} ${method} ${path}`);
  expect(lines).toEqual([
    `api POST /repos/${repository.name}/issues`,
    'api POST /graphql',
    `git GET /${repository.name}.git/info/refs?service=git-upload-pack`,
    `git POST /${repository.name}.git/git-upload-pack`,
    `git POST /${repository.name}.git/git-upload-pack`,
  ]);
  expect(seen.map(({ body }) => String(body)).slice(0, 2)).toEqual([
    '{"title":"Leak"}',
    '{"query":"{ viewer { login } }"}',
  ]);
});

test('a hook responds instead of the forge, which then does nothing', async () => {
  const repository = await fixture.repository();
  hook = async () => ({ status: 503, headers: { 'retry-after': '7' }, body: '{"message":"later"}' });
  const create = fixture.person('ada').issues.create({ ...repository.at, title: 'Never' });
  await expect(create).rejects.toMatchObject({ status: 503, response: { headers: { 'retry-after': '7' } } });
  hook = passThrough;
  expect((await fixture.person('ada').issues.listForRepo(repository.at)).data).toEqual([]);
});

test('a hook drops the connection after the request took effect, and the log has status 0', async () => {
  const repository = await fixture.repository();
  hook = async (_, next) => {
    await next();
    return 'drop';
  };
  await expect(fixture.person('ada').issues.create({ ...repository.at, title: 'Once' })).rejects.toThrow();
  hook = passThrough;
  const route = '/repos/{owner}/{repo}/issues';
  expect(fixture.forge.requests.api.at(-1)).toMatchObject({ method: 'POST', route, actor: 'ada', status: 0 });
  expect((await fixture.person('ada').issues.listForRepo(repository.at)).data).toHaveLength(1);
});

test('a hook delays a request, and others are processed meanwhile', async () => {
  const repository = await fixture.repository();
  let open = () => {};
  const gate = new Promise<void>((done) => {
    open = done;
  });
  hook = async ({ method }, next) => {
    if (method === 'POST') await gate;
    return next();
  };
  const held = fixture.person('ada').issues.create({ ...repository.at, title: 'Held' });
  expect((await fixture.person('ada').issues.listForRepo(repository.at)).data).toEqual([]);
  open();
  expect((await held).data.title).toBe('Held');
});

test('a hook repeats a request that failed', async () => {
  const repository = await fixture.repository();
  fixture.forge.seed.fault({ path: /\/issues$/, times: 1, status: 500 });
  const results: unknown[] = [];
  hook = async (_, next) => {
    const result = await next();
    results.push(result === 'drop' ? result : result.status);
    return results.length === 1 ? next() : result;
  };
  expect((await fixture.person('ada').issues.listForRepo(repository.at)).status).toBe(200);
  expect(results).toEqual([500]);
});
