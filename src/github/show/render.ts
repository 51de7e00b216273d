import { setTimeout } from 'node:timers/promises';
import createDebug from 'debug';
import type { State } from '../../steering/state/state.ts';
import { isFinalRefusal } from '../octokit/fault.ts';
import type { PullFacts } from '../read/pulls.ts';
import { disableAutoMerge } from '../write/merge-pull.ts';
import type { PullWriter } from './pull-writer.ts';
import { type View, viewOf } from './view.ts';

const debug = createDebug('coxswain:draw');

interface RenderOptions {
  /** Draws it even over a body that claims to show a later state. */
  readonly force: boolean;
  /** The state as far as GitHub confirms it, given the pull request as it is now; undefined: draw nothing. */
  readonly confirm: (state: State, pull: PullFacts) => Promise<State | undefined>;
  /** The state without secrets, as everything that is drawn is computed from it. */
  readonly redacted: (state: State) => State;
  /** The repository's web address. */
  readonly web: string;
  /** How long to wait before each further look for a head that GitHub does not show yet, in milliseconds. */
  readonly headWaitsMs: readonly number[];
}

/**
 * Renders a state. The pull request is read first, once: check runs are drawn only on its own head, and
 * nothing else in the ledger decides where. False if a later state is already shown.
 */
export async function render(
  writer: PullWriter,
  recorded: State,
  { force, confirm, redacted, web, headWaitsMs }: RenderOptions,
): Promise<boolean> {
  const { pull, checks, asks } = writer;
  const wanted = redacted(recorded);
  const known = viewOf(wanted, web);
  if (!pull.differs(wanted, known) && !checks.differ(wanted, known.checks)) {
    debug('%s entry %d: it looks like that already', wanted.run.id, wanted.seq);
    await asks.render(known);
    return true;
  }
  const shownBefore = pull.shownSeq;
  const now = await readAtHead(writer, wanted.head, headWaitsMs);
  const shown = pull.seqIn(now) ?? 0;
  if (shown > wanted.seq && !force) {
    debug('%s entry %d: entry %d is shown, which is later', wanted.run.id, wanted.seq, shown);
    forgetAll(writer);
    return false;
  }
  // Another process rendered in between, so our cache is outdated.
  if (shownBefore !== undefined && shown > shownBefore) forgetAll(writer);
  const confirmed = await confirm(recorded, now);
  // What the check recorded instead is rendered next.
  if (confirmed === undefined) {
    debug('%s entry %d: GitHub does not confirm it', wanted.run.id, wanted.seq);
    return true;
  }
  const state = redacted(confirmed);
  await draw(writer, state, now, viewOf(state, web));
  debug('%s entry %d: drawn as %s', wanted.run.id, wanted.seq, state.standing.phase);
  return true;
}

/** Our own push can take a moment to show; a head that never shows is left to the next push or sweep. */
async function readAtHead(
  { pull }: PullWriter,
  head: string,
  waitsMs: readonly number[],
): Promise<PullFacts> {
  let now = await pull.read();
  for (const ms of waitsMs) {
    if (now.head_sha === head || !now.open) break;
    await setTimeout(ms);
    now = await pull.read();
  }
  return now;
}

/**
 * What permits merging is taken back first. The check runs follow, with the buttons that people act upon,
 * then the question, which tells them by mail, and the body last: whoever waits for it finds all the rest.
 * What GitHub never lets us say keeps nothing from being drawn.
 */
async function draw(writer: PullWriter, state: State, now: PullFacts, view: View): Promise<void> {
  const { target, checks, pull, asks } = writer;
  if (now.open && now.auto_merge !== null && !isApproved(state)) await disableAutoMerge(target.octokit, now);
  const refused = await checks.render(state, view.checks, now.head_sha).catch((fault: unknown) => {
    if (isFinalRefusal(fault)) return fault;
    throw fault;
  });
  await asks.render(view);
  const elsewhere = view.pull === 'ready' && (now.head_sha !== state.head || refused !== undefined);
  await pull.render(now, state, elsewhere ? { ...view, pull: 'untouched' } : view);
  if (refused !== undefined) throw refused;
}

function forgetAll({ checks, comments }: PullWriter): void {
  checks.forget();
  comments.forget();
}

function isApproved({ standing }: State): boolean {
  return standing.phase === 'approved' && standing.finish === 'finished';
}
