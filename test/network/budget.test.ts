import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { build } from 'rolldown';
import { describe, expect, test, vi } from 'vitest';
import {
  type Admission,
  type Exhausted,
  exhaustedText,
  type Limits,
  noTokens,
} from '../../src/network/spending/model-budget.ts';
import { openSpending, type Spending } from '../../src/network/spending/open-spending.ts';
import { eventually } from '../app/eventually.ts';
import { folder } from './model-fixture.ts';

const run = 'acme/app#1';

function likely(model = 'gpt-5') {
  return { model, tokens: { ...noTokens, input: 10 }, estimated: true };
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
  const spending = fileURLToPath(new URL('../../src/network/spending/open-spending.ts', import.meta.url));
  writeFileSync(
    join(path, 'spend.ts'),
    `import { openSpending } from ${JSON.stringify(spending)};
    const budget = openSpending(process.argv[2]).budget({ run: 'r', limits: () => ({}), before: {}, onExhausted() {} });
    const tokens = { input: 1, cached_input: 0, cache_write: 0, long_cache_write: 0, output: 0 };
    for (let count = 1; ; count++) {
      const admission = await budget.admit({ model: 'm', tokens, estimated: true });
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
    ticket(await budget.admit(likely())).settle(used(99));
    ticket(await budget.admit(likely())).settle(used(500));
    const refused = { admitted: false, exhausted: { of: 'run', unit: 'tokens', limit: 100, spent: 599 } };
    expect(await budget.admit(likely())).toEqual(refused);
    expect(await budget.admit(likely())).toEqual(refused);
    expect(exhausted).toHaveLength(1);
  });

  test('of none of it admits nothing', async () => {
    const { budget } = budgetOf(openSpending(folder()), { tokens: 0 });
    expect((await budget.admit(likely())).admitted).toBe(false);
  });

  test('contains what earlier attempts spent, as the ledger or our own records know it', async () => {
    const spending = openSpending(folder());
    expect((await budgetOf(spending, { tokens: 100 }, { tokens: 100 }).budget.admit(likely())).admitted).toBe(
      false,
    );
    ticket(await budgetOf(spending, { tokens: 100 }).budget.admit(likely())).settle(used(100));
    expect((await budgetOf(spending, { tokens: 100 }, { tokens: 5 }).budget.admit(likely())).admitted).toBe(
      false,
    );
  });

  test('counts a request that came to nothing as nothing', async () => {
    const { budget } = budgetOf(openSpending(folder()), { tokens: 100 });
    ticket(await budget.admit(likely())).settle(undefined);
    expect(budget.spent()).toEqual({ tokens: 0, byModel: [], unpriced: [], estimated: false });
  });

  test('counts a request once, whoever reports it again', async () => {
    const { budget } = budgetOf(openSpending(folder()), {});
    const one = ticket(await budget.admit(likely()));
    one.settle(used(10));
    one.settle(used(10));
    expect(budget.spent().tokens).toBe(10);
  });

  test('counts a request under way by what is likely at the end of an attempt, and only until it ends', async () => {
    const { budget } = budgetOf(openSpending(folder()), {});
    ticket(await budget.admit(likely())).settle(used(100));
    const one = ticket(await budget.admit(likely()));
    const other = ticket(await budget.admit(likely('unknown')));
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
    ticket(await budget.admit(likely('unknown'))).settle(used(9_000_000, 'unknown'));
    ticket(await budget.admit(likely())).settle(used(1_000_000));
    const { usd, unpriced } = budget.spent();
    expect([usd, unpriced]).toEqual([1.25, ['unknown']]);
    expect(await budget.admit(likely())).toMatchObject({
      exhausted: { of: 'run', unit: 'usd', limit: 1, spent: 1.25 },
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
    ticket(await other.admit(likely())).settle(used(100));
    const { budget, exhausted } = budgetOf(spending, {});
    expect((await budget.admit(likely())).admitted).toBe(false);
    expect(exhausted).toEqual([{ of: 'day', unit: 'tokens', limit: 100, spent: 100 }]);
    now += 60_000;
    expect((await budget.admit(likely())).admitted).toBe(true);
  });

  test('tells which it is, what was spent, and where it can be raised', () => {
    expect(
      exhaustedText({ of: 'run', unit: 'tokens', limit: 2_000_000, spent: 2_000_512 }),
    ).toMatchInlineSnapshot(
      `"this run has used 2,000,512 tokens of the budget of 2,000,000 tokens (limits.tokens in .github/coxswain.yml)"`,
    );
    expect(exhaustedText({ of: 'day', unit: 'usd', limit: 12.5, spent: 12.5 })).toMatchInlineSnapshot(
      `"all runs together have used $12.50 of the budget of $12.50 for today (limits.cost_usd_per_day in the operator's file); the next day begins at 00:00 UTC"`,
    );
  });
});

describe('requests at the same time', () => {
  /** A budget of 100 tokens of which 90 are spent, and as many requests under way as there may be. */
  async function nearlySpent(limits = { tokens: 100 }) {
    const made = budgetOf(openSpending(folder()), limits);
    ticket(await made.budget.admit(likely())).settle(used(90));
    const four = await Promise.all([1, 2, 3, 4].map(() => made.budget.admit(likely())));
    const [first, ...others] = four.map(ticket);
    if (first === undefined) throw new Error('there is no first one');
    return { ...made, first, others };
  }

  test('are only four from nine tenths of the budget on', async () => {
    const { budget, first, others } = await nearlySpent();
    const fifth = budget.admit(likely());
    expect(await isDecided(fifth)).toBe(false);
    first.settle(used(1));
    ticket(await fifth).settle(used(1));
    for (const each of others) each.settle(used(1));
    expect(budget.spent().tokens).toBe(95);
  });

  test('are all refused if those under way have used it up, and all of that is shown', async () => {
    const { budget, exhausted, first, others } = await nearlySpent();
    const waiting = Array.from({ length: 20 }, () => budget.admit(likely()));
    first.settle(used(30));
    expect((await Promise.all(waiting)).filter(({ admitted }) => admitted)).toEqual([]);
    for (const each of others) each.settle(used(30));
    expect(exhausted).toEqual([{ of: 'run', unit: 'tokens', limit: 100, spent: 120 }]);
    expect(budget.spent().tokens).toBe(210);
    expect(await budget.admit(likely())).toMatchObject({ exhausted: { spent: 210 } });
  });

  test('begin as soon as one has ended after the limit was raised', async () => {
    const limits = { tokens: 100 };
    const { budget, first } = await nearlySpent(limits);
    const waiting = [1, 2, 3].map(() => budget.admit(likely()));
    limits.tokens = 1000;
    first.settle(used(1));
    expect((await Promise.all(waiting)).map(({ admitted }) => admitted)).toEqual([true, true, true]);
  });

  test('do not wait without a limit, nor far from one', async () => {
    for (const limits of [{}, { tokens: 100 }]) {
      const { budget } = budgetOf(openSpending(folder()), limits);
      for (let count = 0; count < 50; count++) ticket(await budget.admit(likely()));
    }
  });

  test('leave the line when their client goes away', async () => {
    const { budget, first } = await nearlySpent();
    const gone = new AbortController();
    const fifth = budget.admit(likely(), gone.signal);
    gone.abort(new Error('gone'));
    await expect(fifth).rejects.toThrow();
    first.settle(used(1));
    ticket(await budget.admit(likely()));
  });

  test('exceed the budget by four of them at most, once nine tenths are spent', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 40 }), async (sizes) => {
        const { budget } = budgetOf(openSpending(folder()), { tokens: 100 });
        ticket(await budget.admit(likely())).settle(used(90));
        const open: (() => void)[] = [];
        const asked = sizes.map(async (size) => {
          const admission = await budget.admit(likely());
          if (!admission.admitted) return expect(budget.spent().tokens).toBeGreaterThanOrEqual(100);
          open.push(() => admission.settle(used(size)));
        });
        for (let settled = 0; settled < sizes.length; settled++) {
          await new Promise((resolve) => setImmediate(resolve));
          expect(open.length).toBeLessThanOrEqual(4);
          open.splice(settled % Math.max(1, open.length), 1)[0]?.();
        }
        await Promise.all(asked);
        for (const each of open) each();
        const last = [...sizes].sort((one, other) => other - one).slice(0, 4);
        expect(budget.spent().tokens).toBeLessThan(100 + last.reduce((sum, size) => sum + size, 0) + 1);
      }),
      { numRuns: 100 },
    );
  });
});

describe('what is recorded', () => {
  test('is there after a restart, finished or not', async () => {
    const path = folder();
    const { budget } = budgetOf(openSpending(path), {});
    ticket(await budget.admit(likely())).settle(used(100));
    await budget.admit(likely());
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
      ticket(await budget.admit(likely())).settle(used(tokens));
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
    ticket(await budget.admit(likely())).settle(used(5));
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
    await expect(budget.admit(likely())).rejects.toThrow('ENOENT');
  });

  test('is missed aloud if a request ends and cannot be recorded, and counts all the same', async () => {
    const path = join(folder(), 'spending');
    const onFault = vi.fn();
    const { budget } = budgetOf(openSpending(path, { onFault }), { tokens: 5 });
    const one = ticket(await budget.admit(likely()));
    execFileSync('rm', ['-r', path]);
    one.settle(used(5));
    expect(onFault).toHaveBeenCalledOnce();
    expect((await budget.admit(likely())).admitted).toBe(false);
  });
});
