import { comparing } from './diff-entries.ts';
import { gitChunks } from './git.ts';
import { inside } from './objects.ts';

/** The diff of one file as text, also if Git takes the file for binary. */
export interface TextDiff {
  readonly path: string;
  readonly text: string;
  /** There is more than was read. */
  readonly cut: boolean;
}

export interface WantedDiffs {
  /** `base...head` */
  readonly range: string;
  /** Of a renamed file also the former name, unless it is to count as new. */
  readonly files: readonly { readonly path: string; readonly previous_path?: string }[];
  /** How many lines to show around what changed. */
  readonly context: number;
}

/** A multiple of `atOnce`. */
const maxFiles = 2_000;
/** Each is a Git of its own, which mostly starts and ends. */
const atOnce = 8;
const maxBytesPerFile = 1024 * 1024;
const maxBytesInAll = 32 * 1024 * 1024;

/** The diffs of these files, in their order. What is beyond a limit is marked as cut, never left out. */
export async function textDiffs(
  gitDir: string,
  { range, files, context }: WantedDiffs,
): Promise<readonly TextDiff[]> {
  const read: TextDiff[] = [];
  let left = maxBytesInAll;
  for (let first = 0; first < files.length; first += atOnce) {
    const budget = first < maxFiles ? Math.min(maxBytesPerFile, Math.floor(left / atOnce)) : 0;
    const some = files.slice(first, first + atOnce);
    const options = [`--unified=${context}`, '--end-of-options', range];
    const diffs = await Promise.all(some.map((file) => diffOf(gitDir, { ...file, options, budget })));
    for (const { bytes, ...diff } of diffs) {
      left -= bytes;
      read.push(diff);
    }
  }
  return read;
}

interface Wanted {
  readonly path: string;
  readonly previous_path?: string;
  readonly options: readonly string[];
  readonly budget: number;
}

interface Reading extends TextDiff {
  readonly bytes: number;
}

/** One file at a time: its path is ours, so nothing has to be parsed out of a header that an agent shaped. */
async function diffOf(gitDir: string, { path, previous_path, options, budget }: Wanted): Promise<Reading> {
  if (budget === 0) return { path, text: '', cut: true, bytes: 0 };
  const chunks: Buffer[] = [];
  let bytes = 0;
  const names = previous_path === undefined ? [path] : [path, previous_path];
  const renames = previous_path === undefined ? ['--no-renames'] : [];
  const onlyThese = ['--', ...names.map((name) => `:(top,literal)${name}`)];
  const command = [...comparing, ...renames, '--text', ...options, ...onlyThese];
  await gitChunks(command, inside(gitDir), (chunk) => {
    if (bytes < budget) chunks.push(chunk.subarray(0, budget - bytes));
    bytes += chunk.length;
  });
  const text = String(Buffer.concat(chunks));
  return { path, text, cut: bytes > budget, bytes: Math.min(bytes, budget) };
}
