import type { ForgeRequest, RequestHook } from '@coxswain/forge';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Stage, setStage } from './stage.ts';

const onward: RequestHook = (_, next) => next();
let hook = onward;
let stage: Stage;

beforeAll(async () => {
  stage = await setStage({ onRequest: (request, next) => hook(request, next) });
});
afterEach(() => {
  hook = onward;
});
afterAll(() => stage.end());

test('the hook sees what is asked of the API and of Git, before it is done', async () => {
  const place = await stage.place();
  const seen: ForgeRequest[] = [];
  hook = (request, next) => {
    seen.push(request);
    return next();
  };
  await stage.person('ada').issues.create({ ...place.at, title: 'Leak' });
  await stage.person('ada').graphql('{ viewer { login } }');
  await stage.clone(place);
  const lines = seen.map(({ kind, method, path }) => `${kind} ${method} ${path}`);
  expect(lines).toEqual([
    `api POST /repos/${place.name}/issues`,
    'api POST /graphql',
    `git GET /${place.name}.git/info/refs?service=git-upload-pack`,
    `git POST /${place.name}.git/git-upload-pack`,
    `git POST /${place.name}.git/git-upload-pack`,
  ]);
  expect(seen.map(({ body }) => String(body)).slice(0, 2)).toEqual([
    '{"title":"Leak"}',
    '{"query":"{ viewer { login } }"}',
  ]);
});

test('a hook answers in the place of the forge, which then does nothing', async () => {
  const place = await stage.place();
  hook = async () => ({ status: 503, headers: { 'retry-after': '7' }, body: '{"message":"later"}' });
  const create = stage.person('ada').issues.create({ ...place.at, title: 'Never' });
  await expect(create).rejects.toMatchObject({ status: 503, response: { headers: { 'retry-after': '7' } } });
  hook = onward;
  expect((await stage.person('ada').issues.listForRepo(place.at)).data).toEqual([]);
});

test('a hook cuts the connection after the fact, and the log tells it by the status 0', async () => {
  const place = await stage.place();
  hook = async (_, next) => {
    await next();
    return 'drop';
  };
  await expect(stage.person('ada').issues.create({ ...place.at, title: 'Once' })).rejects.toThrow();
  hook = onward;
  const route = '/repos/{owner}/{repo}/issues';
  expect(stage.forge.requests.api.at(-1)).toMatchObject({ method: 'POST', route, actor: 'ada', status: 0 });
  expect((await stage.person('ada').issues.listForRepo(place.at)).data).toHaveLength(1);
});

test('a hook holds a request back, and others pass it meanwhile', async () => {
  const place = await stage.place();
  let open = () => {};
  const gate = new Promise<void>((done) => {
    open = done;
  });
  hook = async ({ method }, next) => {
    if (method === 'POST') await gate;
    return next();
  };
  const held = stage.person('ada').issues.create({ ...place.at, title: 'Held' });
  expect((await stage.person('ada').issues.listForRepo(place.at)).data).toEqual([]);
  open();
  expect((await held).data.title).toBe('Held');
});

test('a hook has a request done again that met with a fault', async () => {
  const place = await stage.place();
  stage.forge.seed.fault({ path: /\/issues$/, times: 1, status: 500 });
  const replies: unknown[] = [];
  hook = async (_, next) => {
    const reply = await next();
    replies.push(reply === 'drop' ? reply : reply.status);
    return replies.length === 1 ? next() : reply;
  };
  expect((await stage.person('ada').issues.listForRepo(place.at)).status).toBe(200);
  expect(replies).toEqual([500]);
});
