import { GitError } from './git.ts';

/** Why a push failed, for each ref where Git says so. */
export interface PushRefusal {
  /**
   * `moved`: a ref no longer has the value we read.
   * `declined`: rejected by a rule, a hook or a missing permission.
   * `unreachable`: network, server or authentication failed; the push may or may not have succeeded.
   */
  readonly kind: 'moved' | 'declined' | 'unreachable';
  /** The rejected refs; empty when Git does not name them. */
  readonly refs: readonly string[];
  /** What the server said, or else Git. */
  readonly message: string;
}

/** Interprets a failed `git push --porcelain`; undefined when the remote is not the cause. */
export function pushRefusalOf(error: unknown): PushRefusal | undefined {
  if (!(error instanceof GitError)) return undefined;
  const rejections = rejectionsIn(error.stdout).filter(({ reason }) => !/^atomic push fail/.test(reason));
  if (rejections.length > 0) return classify(rejections, error.stderr);
  const timedOut = error.exitCode === null && /took longer than/.test(error.message);
  if (timedOut || unreachable.test(error.stderr)) {
    return { kind: 'unreachable', refs: [], message: lastLines(error.stderr) || error.message };
  }
  return undefined;
}

interface Rejection {
  readonly ref: string;
  readonly reason: string;
}

/** Porcelain lines read `!<tab><from>:<to><tab>[remote rejected] (<reason>)`. */
function rejectionsIn(stdout: string): readonly Rejection[] {
  return stdout.split('\n').flatMap((line) => {
    const [, ref, reason] = /^!\t[^:]*:(\S+)\t\[[^\]]*\] \((.*)\)$/.exec(line) ?? [];
    return ref && reason ? [{ ref, reason }] : [];
  });
}

function classify(rejections: readonly Rejection[], stderr: string): PushRefusal {
  const of = (kind: PushRefusal['kind'], those: readonly Rejection[]): PushRefusal => ({
    kind,
    refs: those.map(({ ref }) => ref),
    message: messageOf(stderr, those),
  });
  const unknown = rejections.filter(({ reason }) => unreported.test(reason));
  if (unknown.length > 0) return { ...of('unreachable', unknown), refs: [] };
  const declined = rejections.filter(({ reason }) => !moved.test(reason));
  if (declined.length > 0) return of('declined', declined);
  const named = rejections.filter(({ reason }) => !/^atomic transaction failed/.test(reason));
  return of('moved', named);
}

/** Rejected by the lease on our side, or by the server's lock when two pushes met. */
const moved = anyOf([
  'stale info',
  'fetch first',
  'non-fast-forward',
  'already exists',
  'needs force',
  'remote ref updated',
  'cannot lock ref',
  'failed to (update ref|lock)',
  'incorrect old value',
  'atomic transaction failed',
]);

/** The server's message, then Git's reasons, unless they only say that the server declined. */
function messageOf(stderr: string, those: readonly Rejection[]): string {
  const printed = serverMessage(stderr);
  const relevant = printed === '' ? those : those.filter(({ reason }) => !/hook declined$/.test(reason));
  const reasons = relevant.filter(({ reason }) => !printed.includes(reason));
  return [printed, reasons.map(({ ref, reason }) => `${ref}: ${reason}`).join('; ')]
    .filter(Boolean)
    .join('\n');
}

const unreported = anyOf([
  'failed to report status',
  'unpack failed',
  'unpacker error',
  'internal server error',
]);

const unreachable = anyOf([
  'unable to access',
  'could not resolve',
  'could not read (from remote|username|password)',
  'unexpected disconnect',
  'hung up unexpectedly',
  'early EOF',
  'RPC failed',
  'authentication failed',
  'connection (refused|reset|timed out)',
  'unable to connect',
  'returned error: \\d{3}',
  "repository '.*' not found",
  'expected flush',
  'invalid server response',
  'unable to rewind',
]);

/** Matches any of these phrases, in whatever case. */
export function anyOf(phrases: readonly string[]): RegExp {
  return new RegExp(phrases.join('|'), 'i');
}

/** What the server printed, without Git's `remote:` prefix. */
function serverMessage(stderr: string): string {
  const lines = stderr.split('\n').flatMap((line) => /^remote: ?(.*)$/.exec(line.trim())?.[1] ?? []);
  return lines
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');
}

function lastLines(stderr: string): string {
  return stderr.trim().split('\n').slice(-4).join('\n');
}
