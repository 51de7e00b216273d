import { describe, expect, test } from 'vitest';
import {
  headAt,
  pushersIn,
  readBranchHistory,
  readFormerHeads,
  returnedAt,
} from '../../../src/github/read/branch-history.ts';
import { client, expectOnlyStubbedRequests, github } from '../octokit/github.ts';

expectOnlyStubbedRequests();

const own = { login: 'coxswain[bot]', app: { id: 1 } };
const where = { owner: 'acme', name: 'api' };
const bob = { login: 'bob', id: 2, type: 'User' };
const eve = { login: 'eve', id: 9, type: 'User' };
const us = { login: 'coxswain[bot]', id: 77, type: 'Bot' };
const renovate = { login: 'renovate[bot]', id: 78, type: 'Bot' };

type Move = readonly [by: typeof bob | null, from: string, to: string, second: number];

/** A commit by its letter. */
const c = (letter: string) => letter.repeat(40);
const none = '0'.repeat(40);

/** What GitHub lists after these moves, oldest first; a branch is created from '' and deleted to ''. */
function activity(...moves: readonly Move[]) {
  const entries = moves.map(([actor, before, after, second], id) => ({
    id,
    node_id: `P_${id}`,
    ref: 'refs/heads/coxswain/fix-1',
    before: before === '' ? none : c(before),
    after: after === '' ? none : c(after),
    timestamp: timeAt(second),
    activity_type: before === '' ? 'branch_creation' : after === '' ? 'branch_deletion' : 'push',
    actor,
  }));
  return entries.reverse();
}

function timeAt(second: number): string {
  return new Date(Date.parse('2026-11-21T12:00:00Z') + second * 1000).toISOString().replace('.000', '');
}

const path = '/repos/acme/api/activity';
const query = { ref: 'refs/heads/coxswain/fix-1', per_page: 100 };

async function history(entries: readonly object[], head: string) {
  github().get(path).query(query).reply(200, entries);
  return readBranchHistory(client(), where, { branch: 'coxswain/fix-1', head: c(head) });
}

describe('the history of a branch', () => {
  const created = [us, '', 'a', 0] as const;
  const ours = [us, 'a', 'b', 10] as const;

  test('names everyone who pushed since it was created', async () => {
    const found = await history(activity(created, ours, [bob, 'b', 'd', 20], [eve, 'd', 'e', 30]), 'e');
    expect(found).toMatchObject({ complete: true, moves: [{ after: c('e') }, {}, {}, { before: none }] });
    const people = [
      { login: 'eve', id: 9 },
      { login: 'bob', id: 2 },
    ];
    expect(pushersIn(found, own)).toEqual({ people, complete: true });
  });

  test('names nobody if only we pushed', async () => {
    expect(pushersIn(await history(activity(created, ours), 'b'), own)).toEqual({
      people: [],
      complete: true,
    });
  });

  test('names whoever created the branch', async () => {
    const found = await history(activity([eve, '', 'a', 0], ours), 'b');
    expect(pushersIn(found, own)).toEqual({ people: [{ login: 'eve', id: 9 }], complete: true });
  });

  test.each([
    ['GitHub does not name someone', activity(created, [null, 'a', 'b', 10], ours), 'b'],
    ['another App pushed', activity(created, [renovate, 'a', 'b', 10]), 'b'],
    ['a push is missing', activity(created, ours, [bob, 'x', 'e', 30]), 'e'],
    ['the last push is not listed yet', activity(created, ours), 'e'],
    ['it is too old to be listed', activity(ours), 'b'],
    ['nothing is listed', [], 'b'],
  ])('is incomplete if %s', async (_, entries, head) => {
    expect(pushersIn(await history(entries, head), own)).toMatchObject({ complete: false });
  });

  test.each([
    [true, 'the last push is not listed yet', activity(created), 'b'],
    [true, 'nothing is listed yet', [], 'a'],
    [true, 'somebody is not named yet', activity(created, [null, 'a', 'b', 10]), 'b'],
    [false, 'everything is listed', activity(created, ours), 'b'],
    [false, 'something older is missing', activity(created, [bob, 'x', 'e', 30]), 'e'],
  ])('may still become complete (%s) if %s', async (lags, _, entries, head) => {
    expect(await history(entries, head)).toMatchObject({ lags });
  });

  test('names those who pushed before it was deleted and created again, too', async () => {
    const before = [created, [eve, 'a', 'x', 10] as const, [renovate, 'x', '', 20] as const];
    const found = await history(activity(...before, [bob, '', 'x', 30]), 'x');
    const people = [
      { login: 'bob', id: 2 },
      { login: 'eve', id: 9 },
    ];
    expect(pushersIn(found, own)).toEqual({ people, complete: true });
  });

  test('is incomplete if its deletion is missing', async () => {
    const found = await history(activity(created, ours, [bob, '', 'b', 30]), 'b');
    expect(pushersIn(found, own)).toEqual({ people: [{ login: 'bob', id: 2 }], complete: false });
  });

  describe('is read page by page', () => {
    /** Pages with one entry each, and a link to the next one. */
    function stubPages(entries: readonly object[], { endsHere = false } = {}): void {
      for (const [index, entry] of entries.entries()) {
        const after = index === 0 ? {} : { after: String(index) };
        const next = `<https://api.github.com${path}?ref=refs%2Fheads%2Fcoxswain%2Ffix-1&per_page=100&after=${index + 1}>; rel="next"`;
        const isLast = endsHere && index === entries.length - 1;
        github()
          .get(path)
          .query({ ...query, ...after })
          .reply(200, [entry], isLast ? {} : { link: next });
      }
    }

    test('until the branch was first created', async () => {
      stubPages(activity(created, ours, [bob, 'b', 'd', 20]), { endsHere: true });
      const found = await readBranchHistory(client(), where, { branch: 'coxswain/fix-1', head: c('d') });
      expect(found).toMatchObject({ complete: true, moves: { length: 3 } });
    });

    test('up to a bound, and is incomplete then', async () => {
      stubPages(activity([us, '', 'b', 10], [bob, 'b', 'd', 20], [eve, 'd', 'e', 30]));
      const found = await readBranchHistory(client(), where, { branch: 'coxswain/fix-1', head: c('e') });
      expect(found).toMatchObject({ complete: false, moves: { length: 3 } });
    });
  });

  test('is unknown on servers that do not keep it', async () => {
    github().get(path).query(query).reply(404, { message: 'Not Found' });
    const found = await readBranchHistory(client(), where, { branch: 'coxswain/fix-1', head: c('b') });
    expect(found).toEqual({ moves: [], complete: false, lags: false });
  });

  test('is neither known nor unknown during an outage', async () => {
    github().get(path).query(query).times(3).reply(503);
    const asked = readBranchHistory(client(), where, { branch: 'coxswain/fix-1', head: c('b') });
    await expect(asked).rejects.toMatchObject({ retriable: true });
  });
});

describe('the head at a time', () => {
  /** The head at a second, after moves of which the last leads to the current head. */
  async function at(second: number, head: string, ...moves: readonly Move[]) {
    return headAt(await history(activity(...moves), head), timeAt(second), own)?.[0];
  }
  const first = [us, '', 'a', 0] as const;

  test('is where the last move before it led', async () => {
    expect(await at(15, 'd', first, [us, 'a', 'b', 10], [bob, 'b', 'd', 20])).toBe('b');
    expect(await at(25, 'd', first, [us, 'a', 'b', 10], [bob, 'b', 'd', 20])).toBe('d');
  });

  test('is not what was pushed and taken back before it, or only afterwards', async () => {
    expect(await at(15, 'x', first, [bob, 'a', 'x', 10], [bob, 'x', 'a', 12], [bob, 'a', 'x', 20])).toBe('a');
  });

  test('is unknown if what came after it is incomplete', async () => {
    expect(await at(15, 'e', first, [us, 'a', 'b', 10], [bob, 'x', 'e', 20])).toBeUndefined();
    expect(await at(15, 'e', first, [us, 'a', 'b', 10])).toBeUndefined();
  });

  test('is unknown before the branch was created, and while it was deleted', async () => {
    expect(await at(-1, 'a', first)).toBeUndefined();
    expect(await at(15, 'a', first, [bob, 'a', '', 10], [bob, '', 'a', 20])).toBeUndefined();
    expect(await at(5, 'a', first, [bob, 'a', '', 10], [bob, '', 'a', 20])).toBe('a');
  });

  test('is unknown in the second of somebody else’s push, but not of our own', async () => {
    expect(await at(10, 'b', first, [bob, 'a', 'b', 10])).toBeUndefined();
    expect(await at(10, 'b', first, [us, 'a', 'b', 10])).toBe('b');
    expect(await at(11, 'b', first, [bob, 'a', 'b', 10])).toBe('b');
  });
});

describe('the last return of a branch', () => {
  const created = [us, '', 'a', 0] as const;
  const ours = [us, 'a', 'b', 10] as const;
  const deleted = [us, 'b', '', 20] as const;

  test.each<[string, number | null, readonly Move[]]>([
    ['is when somebody moved it back', 30, [created, ours, [bob, 'b', 'x', 20], [bob, 'x', 'b', 30]]],
    ['is when somebody created it again', 30, [created, ours, deleted, [bob, '', 'b', 30]]],
    ['is that, too, if it leads to a new commit', 30, [created, ours, deleted, [bob, '', 'x', 30]]],
    [
      'is what came before it was deleted, if we created it again',
      15,
      [created, ours, [bob, 'b', 'a', 15], [eve, 'a', '', 20], [us, '', 'b', 30]],
    ],
    ['never was, if somebody only pushed', null, [created, ours, [bob, 'b', 'x', 20]]],
    ['never was, if somebody created it', null, [[bob, '', 'a', 0], ours]],
  ])('%s', async (_, second, moves) => {
    const head = moves.at(-1)?.[2] ?? '';
    const expected = second === null ? null : timeAt(second);
    expect(returnedAt(await history(activity(...moves), head), own)).toBe(expected);
  });
});

describe('the former heads of a branch', () => {
  const created = [us, '', 'a', 0] as const;

  async function heads(entries: readonly object[]) {
    github().get(path).query(query).reply(200, entries);
    const found = await readFormerHeads({ ...where, octokit: client(), own }, 'coxswain/fix-1');
    return { ...found, heads: found.heads.map((sha) => sha[0]).join('') };
  }

  test('are those from before it was deleted, too; first what we pushed, then the newest', async () => {
    const again = [[bob, 'b', '', 20] as const, [bob, '', 'd', 30] as const];
    const moves = [created, [us, 'a', 'b', 10] as const, ...again, [bob, 'd', 'e', 40] as const];
    expect(await heads(activity(...moves))).toEqual({ heads: 'baed', complete: true });
  });

  test('are not all known if the list does not begin with the creation of the branch', async () => {
    expect(await heads(activity([bob, 'a', 'b', 10]))).toEqual({ heads: 'ba', complete: false });
    expect(await heads([])).toEqual({ heads: '', complete: false });
  });
});
