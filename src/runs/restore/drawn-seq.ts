import { setupBranch } from '../../github/names.ts';
import { GitHubFault } from '../../github/octokit/fault.ts';
import { readFormerHeads } from '../../github/read/branch-history.ts';
import { drawnOn } from '../../github/read/own-checks.ts';
import { type PullFacts, readPull } from '../../github/read/pulls.ts';
import { renderedSeq } from '../../github/show/recovered-run.ts';
import { type LedgerMark, newestMark } from '../../github/words/seq-mark.ts';
import type { Seals } from '../../seal/seals.ts';
import type { Run } from '../run.ts';

/**
 * The number of the newest ledger commit that was drawn on the pull request, 0 if none was: a ledger that has
 * not reached it was deleted or reset. It is looked for on the pull request's head and on the one the ledger
 * names: whatever happened later was drawn on one of them.
 */
export async function drawnSeq(
  run: RunPlace,
  seals: Seals | undefined,
  head: string | null,
): Promise<number> {
  const { repository, number } = run;
  const { octokit, own } = repository;
  const pull = await pullIfAny(run);
  if (pull === undefined) return 0;
  const heads = [...new Set([pull.head_sha, ...(head === null ? [] : [head])])];
  const place = { where: repository, number, own };
  const drawn = await Promise.all(heads.map((each) => drawnOn(octokit, place, each)));
  const seq = Math.max(renderedSeq(pull.body, nameOf(run), seals), ...drawn.map((mark) => mark.seq));
  if (seq > 0 || head !== null || seals === undefined || pull.author !== own.login) return seq;
  // People may change what we propose on its branch.
  if (pull.head_ref === setupBranch) return seq;
  // All others that we open are runs: this one has just begun, and its branch is at our claim, or its ledger
  // is lost.
  const { mark, moved } = await drawnBefore(run, pull);
  return moved ? Math.max(1, mark.seq) : mark.seq;
}

/** What our check runs on all heads of a pull request say about its run. */
export interface DrawnBefore {
  /** The newest of them; its number is 0 if there are none. */
  readonly mark: LedgerMark;
  /** The heads on which something was drawn. */
  readonly heads: readonly string[];
  /** Whether the branch is known to have pointed to several commits. */
  readonly moved: boolean;
  /** Whether GitHub named all heads that there ever were, and all were looked at. */
  readonly complete: boolean;
}

/** Each costs a request. */
const maxHeads = 50;

/** Looks at every former head that GitHub names: anyone with write access may move the branch elsewhere. */
export async function drawnBefore(
  { repository, number }: RunPlace,
  { head_ref, head_sha }: Pick<PullFacts, 'head_ref' | 'head_sha'>,
): Promise<DrawnBefore> {
  const { octokit, own } = repository;
  const named = await readFormerHeads(repository, head_ref);
  const all = [...new Set([head_sha, ...named.heads])];
  const looked = all.slice(0, maxHeads);
  const place = { where: repository, number, own };
  const marks = await Promise.all(looked.map((head) => drawnOn(octokit, place, head).catch(unlessGone)));
  return {
    mark: newestMark(marks.flatMap((mark) => mark ?? [])),
    moved: all.length > 1,
    heads: looked.filter((_, index) => (marks[index]?.seq ?? 0) > 0),
    complete: named.complete && looked.length === all.length && !marks.includes(undefined),
  };
}

/** GitHub may no longer have a commit to which no branch points. */
function unlessGone(fault: unknown): undefined {
  if (fault instanceof GitHubFault && (fault.status === 404 || fault.status === 422)) return undefined;
  throw fault;
}

type RunPlace = Pick<Run, 'repository' | 'number' | 'name'>;

async function pullIfAny({ repository, number }: RunPlace): Promise<PullFacts | undefined> {
  try {
    return await readPull(repository.octokit, repository, number);
  } catch (fault) {
    if (fault instanceof GitHubFault && fault.status === 404) return undefined;
    throw fault;
  }
}

/** The run to look for in a body. */
export function nameOf({ repository, number, name }: RunPlace) {
  return { id: name, number, repository_id: repository.id };
}
