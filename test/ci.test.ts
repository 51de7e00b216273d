import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { actionShare, readChoice } from './chaos/choice.ts';

/** What CI runs on GitHub ends within the time of its job, or nobody learns how it ended. */

const step = z.object({
  run: z.string().optional(),
  env: z.record(z.string(), z.coerce.string()).default({}),
});
const job = z.object({
  if: z.string().optional(),
  needs: z.string().optional(),
  'timeout-minutes': z.number(),
  strategy: z.object({ matrix: z.record(z.string(), z.array(z.string())) }).optional(),
  steps: z.array(step),
});

const { jobs } = z
  .object({ jobs: z.record(z.string(), job) })
  .parse(load(textOf('.github/workflows/ci.yml')));

function textOf(path: string): string {
  return readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
}

/** The jobs that run an npm script, as `[name, job]`. */
function jobsWith(script: string) {
  return Object.entries(jobs).filter(([, { steps }]) => steps.some(({ run }) => run === `npm run ${script}`));
}

/** For the machine, the installation, and the last session, which may have begun just in time. */
const marginMinutes = 12;

test('every test has a job, and none of the long ones waits for another', () => {
  const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> }; // by npm's schema
  const isForCi = (name: string) => name.startsWith('test:') && name !== 'test:watch';
  const long = [...Object.keys(scripts).filter(isForCi), 'coverage'];
  const found = long.map((script) => jobsWith(script).map(([name]) => name));
  expect(found.map(({ length }) => length)).toEqual(long.map(() => 1));
  expect(new Set(found.flat()).size).toBe(long.length);
  expect(Object.values(jobs).flatMap(({ needs }) => needs ?? [])).toEqual([]);
});

test('the shards of the chaos test try everything once, and end in time', () => {
  const [chaos] = jobsWith('test:chaos').map(([, each]) => each);
  const env = chaos?.steps.find(({ run }) => run === 'npm run test:chaos')?.env ?? {};
  // All shards must shuffle alike.
  expect(env['COXSWAIN_CHAOS_SEED']).toMatch(/^\$\{\{ github\.run_number \}\}$/);
  expect(env['COXSWAIN_CHAOS_SHARD']).toMatch(/^\$\{\{ matrix\.shard \}\}$/);
  const given = { ...env, COXSWAIN_CHAOS_SEED: '7' };
  const choices = (chaos?.strategy?.matrix['shard'] ?? []).map((shard) =>
    readChoice({ ...given, COXSWAIN_CHAOS_SHARD: shard }),
  );
  const indexes = choices.map(({ shard }) => shard.index);
  expect(indexes).toEqual(choices.map((_, index) => index + 1));
  expect(choices.map(({ shard }) => shard.of)).toEqual(choices.map(() => choices.length));
  expect(choices.length).toBeGreaterThan(1);
  for (const { minutes } of choices)
    expect(minutes * (1 + actionShare) + marginMinutes).toBeLessThanOrEqual(chaos?.['timeout-minutes'] ?? 0);
});
