import { expect, test } from 'vitest';
import { pageOf } from '../../src/doors/lists/paging.ts';

interface Thing {
  readonly order: string;
  readonly repository: number;
}

/** Ten thousand entries of a thousand repositories, of which a reader sees every `nth`. */
function listOf(nth: number) {
  const sorted = Array.from({ length: 10_000 }, (_, index) => ({
    order: `1 ${String(index).padStart(15, '0')} ${index}#1`,
    repository: index % 1000,
  }));
  const known = new Set<number>();
  const asked = { pages: 0, most: 0 };
  const turn = async (limit: number, cursor?: string) => {
    const before = known.size;
    const page = await pageOf<Thing, number>(sorted, {
      ...{ limit, cursor },
      cost: (some) => new Set(some.map(({ repository }) => repository).filter((id) => !known.has(id))).size,
      show: async (some) => {
        for (const { repository } of some) known.add(repository);
        return some.map(({ repository, order }) =>
          repository % nth === 0 ? Number(order.split(' ')[1]) : undefined,
        );
      },
    });
    asked.pages += 1;
    asked.most = Math.max(asked.most, known.size - before);
    return page;
  };
  return { turn, asked };
}

async function all(nth: number, limit: number) {
  const { turn, asked } = listOf(nth);
  const entries: number[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  do {
    const { entries: some, next } = await turn(limit, cursor);
    expect(some.length).toBeLessThanOrEqual(limit);
    entries.push(...some);
    cursor = next ?? undefined;
    if (cursor !== undefined) cursors.add(cursor);
  } while (cursor !== undefined);
  return { entries, asked, cursors };
}

test.each([1, 7, 333, 1000])(
  'whoever sees every %ith repository sees all of those, once and in order',
  async (nth) => {
    const { entries, asked } = await all(nth, 50);
    const expected = Array.from({ length: 10_000 }, (_, index) => index).filter(
      (index) => (index % 1000) % nth === 0,
    );
    expect(entries).toEqual(expected);
    expect(asked.most).toBeLessThanOrEqual(100);
  },
);

test('a page asks about no more than it needs', async () => {
  const { turn, asked } = listOf(1);
  await turn(50);
  expect(asked.most).toBe(50);
});

test('no cursor names an entry that the reader may not see', async () => {
  const { cursors } = await all(333, 2);
  for (const cursor of cursors) {
    const [, , key = ''] = Buffer.from(cursor, 'base64url').toString().split(' ');
    if (key !== '') expect((Number(key.split('#')[0]) % 1000) % 333).toBe(0);
  }
});

test.each(['x', 'Pg', Buffer.from('>1 2 <').toString('base64url')])(
  'the cursor %s is refused or begins anew',
  async (cursor) => {
    const page = listOf(1).turn(1, cursor);
    if (cursor === 'Pg') expect((await page).entries).toEqual([0]);
    else await expect(page).rejects.toThrow('This cursor is none that a page has given');
  },
);
