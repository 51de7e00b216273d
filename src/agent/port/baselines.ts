import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { runExclusive } from '../../git/keyed-mutex.ts';
import type { ProofRun } from '../../steering/shapes/proof.ts';

type Ran = Extract<ProofRun, { outcome: 'ran' }>;

/** Remembers what the verifiers said of commits without a change, by keys of letters and digits. */
export interface Baselines {
  /** Undefined if it is not known, or no longer. */
  read(key: string): Promise<Ran | undefined>;
  write(key: string, run: Ran): Promise<void>;
  /** Runs `act` while nobody else in this process runs something under the same key. */
  exclusively<T>(key: string, act: () => Promise<T>): Promise<T>;
}

/** What a verifier says can depend on the day. */
const keptForMs = 24 * 60 * 60_000;
const maxKept = 1_000;

/** Keeps them as files in a folder of ours: the newest 1,000, each for a day. */
export function openBaselines(folder: string): Baselines {
  return {
    read: (key) => read(pathOf(folder, key)),
    write: async (key, run) => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const fresh = join(folder, `.${randomBytes(6).toString('hex')}`);
      await writeFile(fresh, JSON.stringify(run), { mode: 0o600 });
      await rename(fresh, pathOf(folder, key));
      await prune(folder);
    },
    exclusively: (key, act) => runExclusive(`baseline:${folder}:${key}`, act),
  };
}

function pathOf(folder: string, key: string): string {
  return join(folder, `${key}.json`);
}

async function read(path: string): Promise<Ran | undefined> {
  const age = await ageOf(path);
  if (age === undefined || age > keptForMs) return undefined;
  // Another process may just have removed it.
  const text = await readFile(path, 'utf8').catch(() => '');
  try {
    return ran.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined; // a machine that lost power may have written half of it
  }
}

/** Nobody else writes there, but another version of ours may have, and what it means by it we cannot know. */
const ran = z.object({
  outcome: z.literal('ran'),
  verifiers: z.array(
    z.object({
      name: z.string(),
      success: z.boolean(),
      exit_code: z.int(),
      timed_out: z.boolean(),
      tests: z.int().exactOptional(),
      flaky: z.literal(true).exactOptional(),
    }),
  ),
  duration_s: z.number(),
});

/** How old a file is, in milliseconds; undefined if there is none. */
async function ageOf(path: string): Promise<number | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found && Date.now() - found.mtimeMs;
}

async function prune(folder: string): Promise<void> {
  const paths = (await readdir(folder)).map((name) => join(folder, name));
  const known = await Promise.all(paths.map(async (path) => ({ path, age: (await ageOf(path)) ?? 0 })));
  const newestFirst = known.sort((one, other) => one.age - other.age);
  const old = newestFirst.filter(({ age }, index) => index >= maxKept || age > keptForMs);
  for (const { path } of old) await rm(path, { force: true });
}
