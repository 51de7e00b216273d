import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { build } from 'rolldown';
import { describe, expect, test, vi } from 'vitest';
import type { Admission, Exhausted, Expected, Limits } from '../../src/network/spending/budget.ts';
import { exhaustedText } from '../../src/network/spending/budget.ts';
import { openSpending, type Spending } from '../../src/network/spending/spending.ts';
import { noTokens } from '../../src/network/spending/tokens.ts';
import { eventually } from '../app/eventually.ts';
import { folder } from './model-fixture.ts';

const run = 'acme/app#1';

function expected(atMost: number, model = 'gpt-5'): Expected {
  return { model, likely: { ...noTokens, input: 10 }, atMost: { ...noTokens, input: atMost } };
}

function used(input: number, model = 'gpt-5') {
  return { model, tokens: { ...noTokens, input }, estimated: false };
}

function budgetOf(spending: Spending, limits: Limits, before: Limits = {}) {
  const exhausted: Exhausted[] = [];
  const all = { run, limits: () => limits, before };
  const budget = spending.budget({ ...all, onExhausted: (each) => exhausted.push(each) });
  return { budget, exhausted };
}

/** The one that was admitted. */
function ticket(admission: Admission) {
  if (!admission.admitted) throw new Error('it was refused');
  return admission;
}

/** Whether it is decided by now. */
async function isDecided(admission: Promise<Admission>): Promise<boolean> {
  return Promise.race([
    admission.then(() => true),
    new Promise<false>((resolve) => setImmediate(() => resolve(false))),
  ]);
}

/** A program that spends one token after another, and says how many it has recorded. */
async function bundled(path: string): Promise<string> {
  const spending = fileURLToPath(new URL('../../src/network/spending/spending.ts', import.meta.url));
  writeFileSync(
    join(path, 'spend.ts'),
    `import { openSpending } from ${JSON.stringify(spending)};
    const budget = openSpending(process.argv[2]).budget({ run: 'r', limits: () => ({}), before: {}, onExhausted() {} });
    const tokens = { input: 1, cached_input: 0, cache_write: 0, long_cache_write: 0, output: 0 };
    for (let count = 1; ; count++) {
      const admission = await budget.admit({ model: 'm', likely: tokens, atMost: tokens });
      admission.settle({ model: 'm', tokens, estimated: false });
      process.stdout.write(count + '\\n');
    }`,
  );
  const program = join(path, 'spend.mjs');
  await build({
    input: join(path, 'spend.ts'),
    platform: 'node',
    logLevel: 'warn',
    output: { file: program },
  });
  return program;
}

describe('a budget', () => {
  test('refuses as soon as it is used up, and says so once', async () => {
    const { budget, exhausted } = budgetOf(openSpending(folder()), { tokens: 100 });
    ticket(await budget.admit(expected(50))).settle(used(99));
    ticket(await budget.admit(expected(50))).settle(used(500));
    const refused = { admitted: false, exhausted: { of: 'run', unit: 'tokens', limit: 100 } };
    expect(await budget.admit(expected(1))).toEqual(refused);
    expect(await budget.admit(expected(1))).toEqual(refused);
    expect(exhausted).toHaveLength(1);
  });

  test('of none of it admits nothing', async () => {
    const { budget } = budgetOf(openSpending(folder()), { tokens: 0 });
    expect((await budget.admit(expected(1))).admitted).toBe(false);
  });

  test('contains what earlier attempts spent, as the ledger or our own records know it', async () => {
    const spending = openSpending(folder());
    expect(
      (await budgetOf(spending, { tokens: 100 }, { tokens: 100 }).budget.admit(expected(1))).admitted,
    ).toBe(false);
    ticket(await budgetOf(spending, { tokens: 100 }).budget.admit(expected(1))).settle(used(100));
    expect(
      (await budgetOf(spending, { tokens: 100 }, { tokens: 5 }).budget.admit(expected(1))).admitted,
    ).toBe(false);
  });

  test('counts a request that came to nothing as nothing', async () => {
    const { budget } = budgetOf(openSpending(folder()), { tokens: 100 });
    ticket(await budget.admit(expected(500))).settle(undefined);
    expect(budget.spent()).toEqual({ tokens: 0, byModel: [], unpriced: [], estimated: false });
  });

  test('counts a request once, whoever reports it again', async () => {
    const { budget } = budgetOf(openSpending(folder()), {});
    const one = ticket(await budget.admit(expected(500)));
    one.settle(used(10));
    one.settle(used(10));
    expect(budget.spent().tokens).toBe(10);
  });

  test('counts a request under way by what is likely at the end of an attempt, and only until it ends', async () => {
    const { budget } = budgetOf(openSpending(folder()), {});
    ticket(await budget.admit(expected(500))).settle(used(100));
    const one = ticket(await budget.admit(expected(500)));
    const other = ticket(await budget.admit(expected(500, 'unknown')));
    expect(budget.spent()).toMatchObject({ tokens: 100, unpriced: [], estimated: false });
    expect(budget.spentAtEnd()).toMatchObject({ tokens: 120, unpriced: ['unknown'], estimated: true });
    expect(budget.spentAtEnd().usd).toBeCloseTo(110 * 1.25e-6, 12);
    one.settle(used(300));
    other.settle(undefined);
    expect(budget.spentAtEnd()).toEqual(budget.spent());
    expect(budget.spent()).toMatchObject({ tokens: 400, unpriced: [], estimated: false });
  });

  test('in money holds for models whose price is known, and names the others', async () => {
    const { budget } = budgetOf(openSpending(folder()), { usd: 1 });
    ticket(await budget.admit(expected(1, 'unknown'))).settle(used(9_000_000, 'unknown'));
    ticket(await budget.admit(expected(1))).settle(used(1_000_000));
    const { usd, unpriced } = budget.spent();
    expect([usd, unpriced]).toEqual([1.25, ['unknown']]);
    expect(await budget.admit(expected(1))).toMatchObject({
      exhausted: { of: 'run', unit: 'usd', limit: 1 },
    });
  });

  test('for the day is shared by all runs, and new on the next', async () => {
    let now = Date.parse('2026-11-23T23:59:00Z');
    const spending = openSpending(folder(), { perDay: { tokens: 100 }, now: () => now });
    const other = spending.budget({
      run: 'acme/app#2',
      limits: () => ({}),
      before: {},
      onExhausted: () => {},
    });
    ticket(await other.admit(expected(1))).settle(used(100));
    const { budget, exhausted } = budgetOf(spending, {});
    expect((await budget.admit(expected(1))).admitted).toBe(false);
    expect(exhausted).toEqual([{ of: 'day', unit: 'tokens', limit: 100 }]);
    now += 60_000;
    expect((await budget.admit(expected(1))).admitted).toBe(true);
  });

  test('tells which it is, and where it can be raised', () => {
    expect(exhaustedText({ of: 'run', unit: 'tokens', limit: 2_000_000 })).toMatchInlineSnapshot(
      `"this run has used its budget of 2,000,000 tokens (limits.tokens in .github/coxswain.yml)"`,
    );
    expect(exhaustedText({ of: 'day', unit: 'usd', limit: 12.5 })).toMatchInlineSnapshot(
      `"all runs together have used the budget of $12.50 for today (limits.cost_usd_per_day in the operator's file); the next day begins at 00:00 UTC"`,
    );
  });
});

describe('requests at the same time', () => {
  test('wait while those under way could use up the budget', async () => {
    const { budget } = budgetOf(openSpending(folder()), { tokens: 100 });
    const first = ticket(await budget.admit(expected(100)));
    const second = budget.admit(expected(1));
    expect(await isDecided(second)).toBe(false);
    first.settle(used(30));
    ticket(await second).settle(used(10));
    expect(budget.spent().tokens).toBe(40);
  });

  test('are all refused if those under way did use it up', async () => {
    const { budget, exhausted } = budgetOf(openSpending(folder()), { tokens: 100 });
    const first = ticket(await budget.admit(expected(100)));
    const others = Array.from({ length: 20 }, () => budget.admit(expected(1)));
    first.settle(used(100));
    expect((await Promise.all(others)).filter(({ admitted }) => admitted)).toEqual([]);
    expect(exhausted).toHaveLength(1);
  });

  test('are sent in the order in which they came, also when the limit is raised meanwhile', async () => {
    const limits = { tokens: 100 };
    const { budget } = budgetOf(openSpending(folder()), limits);
    const first = ticket(await budget.admit(expected(100)));
    const order: number[] = [];
    const second = budget.admit(expected(1)).then(() => order.push(2));
    limits.tokens = 1000;
    const third = budget.admit(expected(1));
    const ordered = third.then(() => order.push(3));
    expect(await isDecided(third)).toBe(false);
    first.settle(used(1));
    await Promise.all([second, ordered]);
    expect(order).toEqual([2, 3]);
  });

  test('do not wait without a limit', async () => {
    const { budget } = budgetOf(openSpending(folder()), {});
    for (let count = 0; count < 50; count++) ticket(await budget.admit(expected(Number.POSITIVE_INFINITY)));
  });

  test('leave the line when their client goes away', async () => {
    const { budget } = budgetOf(openSpending(folder()), { tokens: 100 });
    const first = ticket(await budget.admit(expected(100)));
    const gone = new AbortController();
    const second = budget.admit(expected(1), gone.signal);
    gone.abort(new Error('gone'));
    await expect(second).rejects.toThrow('gone');
    first.settle(used(1));
    expect(budget.spent().tokens).toBe(1);
    ticket(await budget.admit(expected(100)));
  });

  test('exceed the budget by one request at most, however they are mixed', async () => {
    const step = fc.record({
      atMost: fc.integer({ min: 1, max: 60 }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 40 }),
        fc.integer({ min: 1, max: 200 }),
        async (steps, limit) => {
          const { budget } = budgetOf(openSpending(folder()), { tokens: limit });
          const open: (() => void)[] = [];
          const sizes: number[] = [];
          const asked = steps.map(async ({ atMost, share }) => {
            const admission = await budget.admit(expected(atMost));
            if (!admission.admitted) return expect(budget.spent().tokens).toBeGreaterThanOrEqual(limit);
            const tokens = Math.ceil(atMost * share);
            sizes.push(tokens);
            open.push(() => admission.settle(used(tokens)));
          });
          for (let settled = 0; settled < steps.length; settled++) {
            await new Promise((resolve) => setImmediate(resolve));
            open.splice(settled % Math.max(1, open.length), 1)[0]?.();
          }
          await Promise.all(asked);
          for (const each of open) each();
          const total = budget.spent().tokens;
          expect(total - Math.max(0, ...sizes)).toBeLessThan(limit);
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe('what is recorded', () => {
  test('is there after a restart, finished or not', async () => {
    const path = folder();
    const { budget } = budgetOf(openSpending(path), {});
    ticket(await budget.admit(expected(500))).settle(used(100));
    await budget.admit(expected(500));
    expect(openSpending(path).of(run)).toEqual({ tokens: 110, usd: 0.0001375 });
  });

  test('is there after the process was killed at any moment', async () => {
    const path = folder();
    const program = await bundled(path);
    const child = spawn(process.execPath, [program, join(path, 'spending')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let seen = '';
    child.stdout.on('data', (chunk) => {
      seen += chunk;
    });
    await eventually('a few hundred requests', () => (seen.split('\n').length > 300 ? true : undefined));
    child.kill('SIGKILL');
    await new Promise((resolve) => child.on('close', resolve));
    const told = Number(seen.trimEnd().split('\n').at(-1));
    const recorded = openSpending(join(path, 'spending')).of('r').tokens;
    expect(recorded).toBeGreaterThanOrEqual(told - 1);
    expect(recorded).toBeLessThanOrEqual(told + 2);
  });

  test('stays readable behind a torn line', async () => {
    const path = folder();
    const spend = async (tokens: number) => {
      const { budget } = budgetOf(openSpending(path), {});
      ticket(await budget.admit(expected(1))).settle(used(tokens));
    };
    await spend(100);
    const [name = ''] = readdirSync(path);
    appendFileSync(join(path, name), '{"id":"torn","run":"acme/app#1","mo');
    await spend(50);
    expect(openSpending(path).of(run).tokens).toBe(150);
    for (const line of [
      'null',
      '[]',
      '{"id":1}',
      '{"id":"a","run":"r","model":"m","tokens":{"input":"9"}}',
      '\0\0',
    ]) {
      appendFileSync(join(path, name), `${line}\n`);
    }
    expect(openSpending(path).of(run).tokens).toBe(150);
  });

  test('is kept for 40 days', async () => {
    const path = folder();
    writeFileSync(join(path, '2026-10-01.jsonl'), '');
    writeFileSync(join(path, '2026-10-20.jsonl'), '');
    writeFileSync(join(path, 'notes.txt'), '');
    openSpending(path, { now: () => Date.parse('2026-11-23T12:00:00Z') });
    expect(readdirSync(path).sort()).toEqual(['2026-10-20.jsonl', 'notes.txt']);
  });

  test('is no text of anybody, and for nobody else to read', async () => {
    const path = folder();
    const { budget } = budgetOf(openSpending(join(path, 'new')), {});
    ticket(await budget.admit(expected(1))).settle(used(5));
    const [name = ''] = readdirSync(join(path, 'new'));
    expect(
      readFileSync(join(path, 'new', name), 'utf8')
        .trimEnd()
        .split('\n'),
    ).toHaveLength(2);
    expect(
      execFileSync('stat', ['-c', '%a', join(path, 'new'), join(path, 'new', name)], { encoding: 'utf8' }),
    ).toBe('700\n600\n');
  });

  test('must be possible before a request is sent', async () => {
    const path = join(folder(), 'spending');
    const { budget } = budgetOf(openSpending(path), {});
    execFileSync('rm', ['-r', path]);
    await expect(budget.admit(expected(1))).rejects.toThrow('ENOENT');
  });

  test('is missed aloud if a request ends and cannot be recorded, and counts all the same', async () => {
    const path = join(folder(), 'spending');
    const onFault = vi.fn();
    const { budget } = budgetOf(openSpending(path, { onFault }), { tokens: 5 });
    const one = ticket(await budget.admit(expected(1)));
    execFileSync('rm', ['-r', path]);
    one.settle(used(5));
    expect(onFault).toHaveBeenCalledOnce();
    expect((await budget.admit(expected(1))).admitted).toBe(false);
  });
});
