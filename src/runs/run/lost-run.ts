import { unless } from '../../github/octokit/fault.ts';
import { readFormerHeads } from '../../github/read/branch-history.ts';
import { drawnOn } from '../../github/read/commit-checks.ts';
import { type PullFacts, readPull } from '../../github/read/pulls.ts';
import { hasBlock, readBlock, readSealedBlock } from '../../github/show/block.ts';
import { showPaused } from '../../github/show/withhold.ts';
import type { PullTarget } from '../../github/write/pull-target.ts';
import { Comments } from '../../github/write/write-comments.ts';
import {
  LedgerBroken,
  LedgerKeyLost,
  LedgerKeyUnknown,
  LedgerOfApp,
  LedgerPutBack,
  LedgerTooNew,
  LedgerUnsealed,
  LedgerVanished,
} from '../../ledger/errors.ts';
import { messageOf } from '../../repository/faults.ts';
import type { LedgerLoss } from '../../steering/shapes/task.ts';
import { type FoundLoss, lostText } from '../../words/own-faults.ts';
import { setupBranch } from '../../words/setup-texts.ts';
import type { Run } from './run.ts';

/** How a ledger was lost, if that is what the error means. */
export function lossFrom(fault: unknown): FoundLoss | undefined {
  if (fault instanceof LedgerTooNew) return { loss: 'too_new' };
  if (fault instanceof LedgerVanished) return { loss: 'vanished' };
  if (fault instanceof LedgerPutBack) return { loss: 'put_back' };
  if (fault instanceof LedgerUnsealed) return { loss: 'unsealed' };
  if (fault instanceof LedgerKeyLost) return { loss: 'lost_key', key: fault.key };
  const isUnreadable = fault instanceof LedgerBroken || fault instanceof LedgerKeyUnknown;
  return isUnreadable ? { loss: 'unreadable' } : undefined;
}

/** How a loss is recorded when the run begins anew. */
export function recordedLoss({ loss }: FoundLoss): LedgerLoss {
  return loss === 'too_new' || loss === 'lost_key' ? 'unreadable' : loss;
}

/**
 * The lost run, if we are the ones to report it. Rethrows what is not the loss of a ledger, and, unless the
 * run is to begin anew, what may pass with a key.
 */
export async function lostFrom(
  fault: unknown,
  run: Run,
  { doing = 'continue', isBegunAnew = false } = {},
): Promise<LostRun | undefined> {
  if (fault instanceof LedgerOfApp) return undefined;
  const found = lossFrom(fault);
  // It may be readable once the operator, who is told, adds the key: until then nothing is done or said.
  const isWaitingForKey = fault instanceof LedgerKeyUnknown;
  if (isWaitingForKey) run.services.unknownKeys.set(run.name, fault.key);
  if (found === undefined || (isWaitingForKey && !isBegunAnew)) throw fault;
  const warn = () => run.services.log.warn(`could not ${doing} ${run.name}: ${messageOf(fault)}`);
  const lost = await lostRun(run, found).catch((again: unknown) => {
    warn();
    throw again;
  });
  if (lost !== undefined) warn();
  return lost;
}

/** A run whose ledger is lost, with its pull request. */
export interface LostRun {
  readonly run: Run;
  readonly found: FoundLoss;
  readonly pull: PullFacts;
  /** Identifies the loss, by the state that the pull request showed when it was found. */
  readonly id: string;
  readonly target: PullTarget;
  /** Former heads on which we drew something. */
  readonly former: readonly string[];
}

/**
 * Undefined if the run is not ours. Anyone with write access can push a ledger for any pull request and move
 * its branch, so only this counts: that we opened it, that a block in it has our seal, or that our check runs
 * are on a commit to which the branch ever pointed.
 */
async function lostRun(run: Run, found: FoundLoss): Promise<LostRun | undefined> {
  const { repository, services } = run;
  const pull = await run.pull();
  const seq = renderedSeq(pull.body, run);
  const isSealed = services.seals !== undefined && seq > 0;
  const { heads: former } = await drawnUpTo(pull, run);
  if (pull.author !== repository.own.login && !isSealed && former.length === 0) return undefined;
  return { run, found, pull, id: `ledger:${found.loss}:${seq}`, target: run.target(), former };
}

const looked = new WeakMap<Run, { readonly head: string; readonly drawn: Promise<DrawnBefore> }>();

/** Looked for once for each head: everything that happens to a lost run asks. */
function drawnUpTo(pull: PullFacts, run: Run): Promise<DrawnBefore> {
  const known = looked.get(run);
  if (known?.head === pull.head_sha) return known.drawn;
  const drawn = drawnBefore(run, pull);
  looked.set(run, { head: pull.head_sha, drawn });
  drawn.catch(() => looked.delete(run));
  return drawn;
}

/** Stops the work and shows the run as paused; the body, needed to restore the run, stays unchanged. */
export async function pauseLostRun({ run, target, found, former }: LostRun): Promise<void> {
  if (found.loss === 'too_new') return;
  await run.halt(() => showPaused(target, former));
}

interface LossReply {
  /** What the reply is given once for. */
  readonly cause: string;
  readonly last?: boolean;
  /** It says all that reporting the loss would say. */
  readonly reports?: boolean;
}

/** Replies only once for each cause. */
export async function replyOnce(
  { id, target, pull }: LostRun,
  { cause, last = false, reports = false }: LossReply,
  text: string,
): Promise<void> {
  const causes = new Set(reports ? [cause, id] : [cause]);
  const marks = [...causes].map((each) => ({ kind: 'reply', id: `${each}:reply` }) as const);
  const comments = new Comments(target, pull.created_at);
  await comments.createTogether(
    marks.map((mark) => ({ mark, text })),
    { last },
  );
}

/** Reports the loss on the pull request, once for each loss, unless a reply has done so. */
export async function announceLoss(lost: LostRun): Promise<void> {
  await pauseLostRun(lost);
  await replyOnce(lost, { cause: lost.id }, lostText(lost.found, lost.run.number));
}

/**
 * The number of the newest ledger commit that was drawn on the pull request, 0 if none was: a ledger that has
 * not reached it was deleted or reset. It is looked for on the pull request's head and on the one the ledger
 * names: whatever happened later was drawn on one of them.
 */
export async function drawnSeq(run: RunPlace, head: string | null): Promise<number> {
  const { repository, number, services } = run;
  const { octokit, own } = repository;
  const pull = await unless(readPull(octokit, repository, number), 404);
  if (pull === undefined) return 0;
  const heads = [...new Set([pull.head_sha, ...(head === null ? [] : [head])])];
  const place = { where: repository, number, own };
  const drawn = await Promise.all(heads.map((each) => drawnOn(octokit, place, each)));
  const seq = Math.max(renderedSeq(pull.body, run), ...drawn);
  if (seq > 0 || head !== null || services.seals === undefined || pull.author !== own.login) return seq;
  // People may change what we propose on its branch.
  if (pull.head_ref === setupBranch) return seq;
  // All others that we open are runs: this one has just begun, and its branch is at our claim, or its ledger
  // is lost.
  const before = await drawnBefore(run, pull);
  return before.moved ? Math.max(1, before.seq) : before.seq;
}

/** What our check runs on all heads of a pull request say about its run. */
interface DrawnBefore {
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
  // GitHub may no longer have a commit to which no branch points.
  const read = async (head: string) => (await unless(drawnOn(octokit, place, head), 404, 422)) ?? 0;
  const drawn = await Promise.all(looked.map(read));
  return {
    seq: Math.max(...drawn),
    moved: all.length > 1,
    heads: looked.filter((_, index) => (drawn[index] ?? 0) > 0),
  };
}

type RunPlace = Pick<Run, 'repository' | 'number' | 'name' | 'services'>;

/**
 * The number of the ledger commit from which the body was rendered. Only a sealed block proves a number;
 * where blocks are not sealed, any block of the run says that there was a ledger, hence 1. 0: none does.
 */
export function renderedSeq(body: string, { repository, number, name, services }: RunPlace): number {
  const { seals } = services;
  if (seals !== undefined)
    return readSealedBlock(body, name, { seals, repository_id: repository.id, number })?.seq ?? 0;
  const block = readBlock(body, name);
  const isOfRun = block === undefined ? hasBlock(body) : block.run.endsWith(`#${number}`);
  return isOfRun ? 1 : 0;
}
