import { GitHubFault } from '../../github/octokit/fault.ts';
import { readFormerHeads } from '../../github/read/branch-history.ts';
import { drawnOn } from '../../github/read/commit-checks.ts';
import { type PullFacts, readPull } from '../../github/read/pulls.ts';
import { hasBlock, readBlock, readSealedBlock } from '../../github/show/block.ts';
import type { Seals } from '../../seal/seals.ts';
import { setupBranch } from '../../words/setup-texts.ts';
import type { Run } from './run.ts';

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
  const seq = Math.max(renderedSeq(pull.body, run, seals), ...drawn);
  if (seq > 0 || head !== null || seals === undefined || pull.author !== own.login) return seq;
  // People may change what we propose on its branch.
  if (pull.head_ref === setupBranch) return seq;
  // All others that we open are runs: this one has just begun, and its branch is at our claim, or its ledger
  // is lost.
  const before = await drawnBefore(run, pull);
  return before.moved ? Math.max(1, before.seq) : before.seq;
}

/** What our check runs on all heads of a pull request say about its run. */
export interface DrawnBefore {
  /** The highest number; 0 if there is none. */
  readonly seq: number;
  /** The heads on which something was drawn. */
  readonly heads: readonly string[];
  /** Whether the branch is known to have pointed to several commits. */
  readonly moved: boolean;
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
  const drawn = await Promise.all(looked.map((head) => drawnOn(octokit, place, head).catch(noneIfGone)));
  return {
    seq: Math.max(...drawn),
    moved: all.length > 1,
    heads: looked.filter((_, index) => (drawn[index] ?? 0) > 0),
  };
}

/** GitHub may no longer have a commit to which no branch points. */
function noneIfGone(fault: unknown): number {
  if (fault instanceof GitHubFault && (fault.status === 404 || fault.status === 422)) return 0;
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

/**
 * The number of the ledger commit from which the body was rendered. Only a sealed block proves a number;
 * where blocks are not sealed, any block of the run says that there was a ledger, hence 1. 0: none does.
 */
export function renderedSeq(
  body: string,
  { repository, number, name }: RunPlace,
  seals: Seals | undefined,
): number {
  if (seals !== undefined)
    return readSealedBlock(body, name, { seals, repository_id: repository.id, number })?.seq ?? 0;
  const block = readBlock(body, name);
  const isOfRun = block === undefined ? hasBlock(body) : block.run.endsWith(`#${number}`);
  return isOfRun ? 1 : 0;
}
