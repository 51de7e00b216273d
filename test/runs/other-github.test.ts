import type { ForgeOptions } from '@coxswain/forge';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ledgerOf, number } from './approved-run.ts';
import { at, type RunsFixture, type SavedForge, saveForge, startRunsFixture } from './runs-fixture.ts';

/** Runs in mode auto where the API answers otherwise than our forge does, as other servers may. */
let saved: SavedForge;
let fixture: RunsFixture;

const config = (lint: string) => `version: 1
agent: { use: command, command: [sh, agent.sh] }
verifiers:
  - { name: test, run: "true" }
  - { name: lint, run: "${lint}", required: false }
sandbox: off
approval: { mode: auto, new_history: 0, finish: merge, auto_proceed_after: 1h, on_timeout: proceed }
`;

beforeAll(async () => {
  saved = await saveForge(async ({ ada }) => {
    await ada.rest.issues.create({ ...at, title: 'Fix the clock', body: 'It is late.' });
  });
});

afterAll(() => saved.remove());

afterEach(() => fixture.end());

type Hook = NonNullable<ForgeOptions['onRequest']>;

/** Changes what the API answers to everybody. */
function answers(change: (reply: Answer) => Partial<Answer>): Pick<ForgeOptions, 'onRequest'> {
  const onRequest: Hook = async ({ kind }, next) => {
    const reply = await next();
    return reply === 'drop' || kind !== 'api' ? reply : { ...reply, ...change(reply) };
  };
  return { onRequest };
}

type Answer = Exclude<Awaited<ReturnType<Hook>>, 'drop'>;

/** Every object of every answer passes through. */
function changed(body: string, change: (object: object) => object): string {
  if (!/^[[{]/.test(body)) return body;
  return JSON.stringify(JSON.parse(body), (_, value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) ? change(value) : value,
  );
}

const without = (name: string) =>
  answers(({ headers }) => ({
    headers: Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name)),
  }));

const mark = 'kwDO_';

/** Node ids of another form, which the server knows again. */
const otherIds: Hook = async (request, next) => {
  if (request.kind !== 'api') return next();
  const text = request.body.toString('utf8').replaceAll(mark, '');
  request.body = Buffer.from(text);
  const reply = await next();
  if (reply === 'drop') return reply;
  return { ...reply, body: String(reply.body).replace(/"(node_id|id)":"([\w-]+)"/g, `"$1":"${mark}$2"`) };
};

const slowly: Hook = async (_, next) => {
  await new Promise((resolve) => setTimeout(resolve, 40));
  return next();
};

const variations: readonly [string, Pick<ForgeOptions, 'onRequest' | 'largestPage'>][] = [
  ['one entry on each page', { largestPage: 1 }],
  ['no ETag', without('etag')],
  ['no date', answers(({ headers }) => ({ headers: { ...headers, date: '' } }))],
  [
    'more fields than are described',
    answers(({ body }) => ({
      body: changed(String(body), (object) => ({ ...object, since_v4: ['more'] })),
    })),
  ],
  ['other node ids', { onRequest: otherIds }],
  ['slow answers', { onRequest: slowly }],
];

const pull = async () => (await fixture.ada.rest.pulls.get({ ...at, pull_number: number })).data;

async function starts(lint: string): Promise<void> {
  await fixture.forge.seed.commit('acme/api', { '.github/coxswain.yml': config(lint) });
  await fixture.says('ada', 1, '/run');
}

test.each(variations)('a run is merged by policy with %s', async (_, other) => {
  fixture = await startRunsFixture(saved, undefined, other);
  await starts('true');
  expect((await pull()).merged).toBe(true);
  expect(fixture.warnings).toEqual([]);
});

test.each(variations)('a word of a person stops a timed approval with %s', async (_, other) => {
  fixture = await startRunsFixture(saved, undefined, other);
  await starts('false');
  expect((await ledgerOf(fixture)).state.standing).toHaveProperty('proceeds');
  for (const body of ['Wait', 'for', 'me'])
    await fixture.bob.rest.issues.createComment({ ...at, issue_number: number, body });
  fixture.waitInApp(3601);
  await fixture.sweep();
  await fixture.sweep();
  expect(await pull()).toMatchObject({ merged: false, draft: true });
  expect((await ledgerOf(fixture)).state.standing.phase).toBe('awaiting_approval');
});
