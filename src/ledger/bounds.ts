import { git } from '../git/git.ts';
import { inside } from '../git/objects.ts';
import type { Artefact } from './attachments.ts';
import type { PlannedCommit } from './plan.ts';

const mebibyte = 1024 * 1024;

/** A verifier's output is kept in full up to this size. */
export const maxPerOutput = mebibyte;
/** The maximum size of a run's ledger at its newest commit. */
export const maxPerRun = 10 * mebibyte;

/** The size of each artefact in bytes, by path. */
export type Sizes = ReadonlyMap<string, number>;

/** The commits within the limits, and the resulting sizes. */
export interface Bounded {
  readonly commits: readonly PlannedCommit[];
  readonly sizes: Sizes;
}

/** Keeps a run's files within `maxPerRun` by replacing the oldest artefacts with a note. */
export function bounded(before: Sizes, wanted: readonly PlannedCommit[]): Bounded {
  const held = new Map(before);
  const commits = wanted.map((commit) => {
    if (commit.artefacts.length === 0) return commit;
    const artefacts = commit.artefacts.map(boundedArtefact);
    for (const { path, content } of artefacts) held.set(path, Buffer.byteLength(content));
    const own = Buffer.byteLength(commit.log) + Buffer.byteLength(commit.text);
    const dropped = droppedFrom(held, maxPerRun - own);
    for (const { path, content } of dropped) held.set(path, Buffer.byteLength(content));
    const names = new Set(dropped.map(({ path }) => path));
    return { ...commit, artefacts: [...artefacts.filter(({ path }) => !names.has(path)), ...dropped] };
  });
  return { commits, sizes: held };
}

/** The sizes of the artefacts in a ledger commit. */
export async function sizesIn(dir: string, commit: string): Promise<Sizes> {
  const listing = await git(['ls-tree', '-r', '-l', '-z', commit, 'iterations'], inside(dir));
  const lines = listing.split('\0').filter((line) => line !== '');
  return new Map(
    lines.map((line) => {
      const [meta = '', path = ''] = line.split('\t');
      return [path, Number(meta.split(' ').at(-1))];
    }),
  );
}

const worthDropping = 1024;

/** Drops the oldest first, by iteration and attempt, until the rest fits. */
function droppedFrom(held: ReadonlyMap<string, number>, room: number): readonly Artefact[] {
  let over = [...held.values()].reduce((sum, size) => sum + size, 0) - room;
  const oldest = [...held.keys()].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  const dropped: Artefact[] = [];
  for (const path of oldest) {
    if (over <= 0) break;
    const size = held.get(path) ?? 0;
    if (size < worthDropping) continue; // a note would not be shorter
    const content = truncationNote(path, size);
    over -= size - Buffer.byteLength(content);
    dropped.push({ path, content });
  }
  return dropped;
}

/** The note in a JSON file is JSON too, so that the file stays readable. */
function truncationNote(path: string, size: number): string {
  const note = `${size} bytes were left out to keep this run's ledger within ${maxPerRun} bytes`;
  return path.endsWith('.json') ? `${JSON.stringify({ left_out: note })}\n` : `${note}\n`;
}

/** A verifier's file is JSON that contains its output, so the output is cut, not the file. */
function boundedArtefact({ path, content }: Artefact): Artefact {
  const size = Buffer.byteLength(content);
  if (size <= maxPerOutput) return { path, content };
  if (!path.endsWith('.json')) return { path, content: keptEnd(content) };
  const shortened = shortenedOutput(content);
  // In JSON a line break takes two bytes, a control character six.
  return {
    path,
    content: Buffer.byteLength(shortened) <= 6 * maxPerOutput ? shortened : truncationNote(path, size),
  };
}

function shortenedOutput(json: string): string {
  const file = JSON.parse(json) as { stdout?: unknown; stderr?: unknown } | null; // checked next
  const { stdout, stderr } = file ?? {};
  if (typeof stdout !== 'string' || typeof stderr !== 'string') return json;
  if (Buffer.byteLength(stdout) + Buffer.byteLength(stderr) <= maxPerOutput) return json;
  const errors = keptEnd(stderr, maxPerOutput / 2);
  const rest = keptEnd(stdout, maxPerOutput - Buffer.byteLength(errors));
  return `${JSON.stringify({ ...file, stdout: rest, stderr: errors, truncated: true })}\n`;
}

/** The end of a text within `max` bytes, cut at a character, with `[truncated]` in front if it was cut. */
export function keptEnd(text: string, max: number = maxPerOutput): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= max) return text;
  const mark = '[truncated]\n';
  let start = bytes.length - Math.max(0, max - mark.length);
  while (start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return mark + bytes.toString('utf8', start);
}
