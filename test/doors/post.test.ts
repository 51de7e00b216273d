import { type Forge, startForge } from '@coxswain/forge';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { KeyReused, post, type Sealing, TooLong } from '../../src/doors/speech/post-comment.ts';
import { soundMark, textIn } from '../../src/github/marks.ts';
import { type Connection, connect } from '../../src/github/octokit/connect.ts';
import { newSealKey, parseSealKeys } from '../../src/seal/seal-keys.ts';
import { openSeals } from '../../src/seal/seals.ts';

const seals = openSeals(parseSealKeys(newSealKey()));
const at = { owner: 'ada', repo: 'widgets' };

let forge: Forge;
const people = new Map<string, { readonly person: Connection; readonly id: number }>();
let repository_id = 0;

beforeAll(async () => {
  forge = await startForge();
  for (const login of ['ada', 'bob']) {
    const person = connect({ token: forge.seed.addUser(login), baseUrl: forge.apiUrl, retryUnitMs: 0 });
    people.set(login, { person, id: (await person.rest.users.getAuthenticated()).data.id });
  }
  repository_id = (await forge.seed.addRepository({ owner: 'ada', name: 'widgets', files: { a: 'a' } })).id;
});
afterAll(() => forge.stop());

interface Wish {
  readonly by?: string;
  readonly on: number;
  readonly key?: string;
  readonly text?: string;
}

function says({ by = 'ada', on: number, key, text = '/approve abc1234' }: Wish) {
  const { person, id: user_id } = people.get(by) ?? {};
  if (person === undefined || user_id === undefined) throw new Error(`there is no ${by}`);
  const sealing: Sealing = { seals, door: 'api', repository_id, user_id, key };
  return post({ ...{ person, ...at, number, text }, sealing });
}

async function newIssue(): Promise<number> {
  return (await ada().rest.issues.create({ ...at, title: 'Do it' })).data.number;
}

function ada(): Connection {
  const found = people.get('ada');
  if (found === undefined) throw new Error('there is no ada');
  return found.person;
}

async function commentsOn(issue_number: number) {
  return (await ada().rest.issues.listComments({ ...at, issue_number })).data;
}

test('a comment is posted as the person, with the seal of the door', async () => {
  const on = await newIssue();
  const posted = await says({ on, by: 'bob' });
  const [comment] = await commentsOn(on);
  const { id: comment_id, html_url, created_at, body = '', user } = comment ?? {};
  expect(user?.login).toBe('bob');
  expect(posted).toEqual({
    ...{ comment_id, html_url, created_at, repeated: false },
    event: `comment:${comment_id}@${created_at}`,
  });
  expect(textIn(body)).toBe('/approve abc1234');
  const there = { repository_id, number: on, user_id: user?.id ?? 0, created_at: created_at ?? '' };
  expect(soundMark({ ...there, body }, seals)).toMatchObject({ door: 'api' });
});

test('without a key of the App, only the text is posted', async () => {
  const number = await newIssue();
  await post({ person: ada(), ...at, number, text: '/reject no' });
  expect(await commentsOn(number)).toMatchObject([{ body: '/reject no' }]);
});

test('who says the same with the same key has said it once, also at the same time', async () => {
  const on = await newIssue();
  const all = await Promise.all([1, 2, 3].map(() => says({ on, key: 'k' })));
  expect(new Set(all.map(({ comment_id }) => comment_id)).size).toBe(1);
  expect(all.filter(({ repeated }) => repeated)).toHaveLength(2);
  expect(await commentsOn(on)).toHaveLength(1);
});

test('another process finds the comment again, and tells another text from it', async () => {
  const on = await newIssue();
  const key = 'a "key" --> of one\u2028person';
  const first = await says({ on, key, text: '/steer One\r\n\r\nTwo\n' });
  const elsewhere = await freshPost();
  const again = { ...{ person: ada(), ...at, number: on }, sealing: await sealingOf('ada', key) };
  expect(await elsewhere.post({ ...again, text: '/steer One\n\nTwo' })).toEqual({ ...first, repeated: true });
  await expect(elsewhere.post({ ...again, text: '/steer Three' })).rejects.toThrow(/used for another text/);
  expect(await commentsOn(on)).toHaveLength(1);
});

test('another person, another issue and another key are another comment', async () => {
  const [one, other] = [await newIssue(), await newIssue()];
  for (const wish of [{ on: one }, { on: other }, { on: one, by: 'bob' }, { on: one, key: 'l' }])
    expect((await says({ key: 'k', ...wish })).repeated).toBe(false);
  expect(await commentsOn(one)).toHaveLength(3);
});

test('a key is not found in a comment that somebody else has copied', async () => {
  const on = await newIssue();
  const key = 'mine';
  await says({ on, key });
  const [{ id: comment_id = 0, body = '' } = {}] = await commentsOn(on);
  await ada().rest.issues.deleteComment({ ...at, comment_id });
  await people.get('bob')?.person.rest.issues.createComment({ ...at, issue_number: on, body });
  const { post: elsewhere } = await freshPost();
  const sealing = await sealingOf('ada', key);
  const speech = { person: ada(), ...at, number: on, text: '/approve abc1234', sealing };
  expect((await elsewhere(speech)).repeated).toBe(false);
});

test('another text with the same key is refused in the same process', async () => {
  const on = await newIssue();
  await says({ on, key: 'k' });
  await expect(says({ on, key: 'k', text: '/reject no' })).rejects.toThrow(KeyReused);
});

test('a comment that GitHub refuses can be posted again with the same key', async () => {
  await expect(says({ on: 9999, key: 'k' })).rejects.toMatchObject({ status: 404 });
  await expect(says({ on: 9999, key: 'k' })).rejects.toMatchObject({ status: 404 });
});

test('more than GitHub takes is not posted, with the seal counted', async () => {
  const on = await newIssue();
  const text = `/steer ${'😀'.repeat(65_536 - 7)}`;
  await expect(says({ on, text })).rejects.toThrow(TooLong);
  await post({ person: ada(), ...at, number: on, text });
  expect(await commentsOn(on)).toHaveLength(1);
});

/** The module as another process has it: it remembers nothing. */
async function freshPost(): Promise<typeof import('../../src/doors/speech/post-comment.ts')> {
  vi.resetModules();
  return import('../../src/doors/speech/post-comment.ts');
}

async function sealingOf(by: string, key: string): Promise<Sealing> {
  return { seals, door: 'api', repository_id, user_id: people.get(by)?.id ?? 0, key };
}
