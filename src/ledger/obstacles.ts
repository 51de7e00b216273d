import type { Remote } from '../git/git.ts';
import { listRemote, pushRefs, type RefUpdate } from '../git/remote.ts';

/** Where the refs of one run are, and a repository to push from. */
interface Way {
  readonly dir: string;
  readonly remote: Remote;
  readonly number: number;
  /** Called with what an operator should know. */
  readonly onNotice?: ((text: string) => void) | undefined;
}

/** The most for the arguments of one command; systems allow about 2 MB for these and the environment. */
const maxCommandBytes = 1_000_000;

/** How many names a notice shows. */
const maxNamed = 5;

/** What servers say if a ref cannot be created because it would be a folder of another, or in one. */
const conflict =
  /exists; cannot create|cannot (?:lock|create)|file conflict|refname conflict|still refs under/i;

/**
 * Removes refs that are in the way of this run's, if a push may have failed because of one: Git cannot have
 * both `open/7` and `open/7/x`, and anyone with write access can push the other one. Returns whether it has.
 */
export function clearWay({ number, ...way }: Way, refusal: string): Promise<boolean> {
  // `refs/coxswain` itself cannot be pushed: servers want names of two parts below `refs`.
  const parents = ['open', 'closed', 'broken', 'kept', `kept/${number}`];
  const children = [
    ...[`open/${number}/*`, `closed/${number}/*`],
    // What was set aside or held is named after its commit, which whoever wrote it knows.
    ...[`broken/${number}-*/*`, `kept/${number}/*/*`],
  ];
  const patterns = [...parents, ...children].map((path) => `refs/coxswain/${path}`);
  return clearRefs({ ...way, patterns, of: `the ledger of #${number}` }, refusal);
}

/** Which refs may be in the way `of` what. */
interface InTheWay extends Omit<Way, 'number'> {
  /** As for `git ls-remote`. */
  readonly patterns: readonly string[];
  readonly of: string;
}

/** Removes those refs, if a push may have failed because of one. Returns whether it has. */
export async function clearRefs(
  { dir, remote, patterns, of, onNotice }: InTheWay,
  refusal: string,
): Promise<boolean> {
  if (!conflict.test(refusal)) return false;
  const found = await listRemote(remote, patterns);
  // Patterns match the end of a name, too.
  const inTheWay = [...found].filter(([ref]) => ref.startsWith('refs/coxswain/'));
  if (inTheWay.length === 0) return false;
  const removals = inTheWay.map(([ref, from]) => ({ ref, from, to: null }));
  for (const some of inCommands(removals)) {
    const { landed } = await pushRefs({ dir, remote }, some);
    if (!landed) return false;
  }
  onNotice?.(`removed ${namesOf(removals)}, in the way of ${of}`);
  return true;
}

/** As many at a time as one command can name: anyone with write access can push any number. */
function inCommands(updates: readonly RefUpdate[]): readonly (readonly RefUpdate[])[] {
  const commands: RefUpdate[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const update of updates) {
    // A push names each ref twice, and once the commit that it has.
    const size = 2 * Buffer.byteLength(update.ref) + 100;
    if (bytes + size > maxCommandBytes) {
      commands.push([]);
      bytes = 0;
    }
    commands.at(-1)?.push(update);
    bytes += size;
  }
  return commands;
}

function namesOf(updates: readonly RefUpdate[]): string {
  const names = updates.slice(0, maxNamed).map(({ ref }) => ref);
  const more = updates.length - names.length;
  return names.join(', ') + (more > 0 ? ` and ${more} more` : '');
}
