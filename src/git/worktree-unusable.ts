import { shortened } from '../text/cut.ts';
import { GitError } from './git.ts';
import { anyOf } from './push-refusal.ts';

/** The files in a worktree are such that Git cannot take them: the fault of whoever made them, not ours. */
export class WorktreeUnusable extends Error {
  override name = 'WorktreeUnusable';
}

/** What Git says when this machine is at fault, whatever the files are. */
const machineFault = anyOf([
  ...['no space left', 'disk quota', 'cannot allocate', 'out of memory', 'too many open files'],
  ...['input/output error', 'read-only file system', 'unable to write', 'unable to create temporary'],
  ...[
    '\\.lock',
    'bad object',
    'corrupt',
    'not a git repository',
    'unable to read tree',
    'missing (?:blob|tree)',
  ],
]);

/** What Git says when a commit contains paths that no worktree can have, or a file that it cannot compare. */
const contentFault = anyOf([
  ...['invalid path', 'name too long', 'failed to encode', 'cannot create directory'],
  'unable to create (?:file|symlink|leading)',
  'unable to generate diff',
]);

/** Runs a command over files that anybody may have made; what it cannot take is told from our own errors. */
export async function overFiles<T>(what: string, act: () => Promise<T>): Promise<T> {
  return act().catch((cause: unknown) => {
    throw isMachines(cause) ? cause : new WorktreeUnusable(`${what}: ${reasonOf(cause)}`, { cause });
  });
}

/** The same for a commit that anybody may have made. */
export async function overCommit<T>(what: string, act: () => Promise<T>): Promise<T> {
  return act().catch((cause: unknown) => {
    const isContents = cause instanceof GitError && contentFault.test(cause.stderr) && !isMachines(cause);
    throw isContents ? new WorktreeUnusable(`${what}: ${reasonOf(cause)}`, { cause }) : cause;
  });
}

/** A command that takes too long waits for something in the files. */
function isMachines(cause: unknown): boolean {
  if (!(cause instanceof GitError)) return !(cause instanceof WorktreeUnusable);
  return machineFault.test(cause.stderr) || (cause.exitCode === null && !/took longer/.test(cause.message));
}

const maxLines = 5;
const maxLength = 500;

function reasonOf(cause: unknown): string {
  if (!(cause instanceof GitError)) return cause instanceof Error ? cause.message : String(cause);
  const lines = cause.stderr.split('\n').filter((line) => !/^(?:hint|warning):/.test(line));
  return shortened(lines.slice(0, maxLines).join('\n') || cause.message, maxLength);
}
