import type { Seals } from '../../seal/seals.ts';
import { isInProgress } from '../../steering/phases/table.ts';
import { shownPhase } from '../../steering/shapes/standing.ts';
import type { State } from '../../steering/state/state.ts';
import { atWorkIn, isAtWorkOn } from '../../words/status-text.ts';
import { hasLabel, isOurLabel } from '../names.ts';
import { type PullFacts, readPull } from '../read/pulls.ts';
import { setDraft } from '../write/open-pull.ts';
import { type PullTarget, repoParamsOf } from '../write/pull-target.ts';
import { blockIn, readBlock, readSealedBlock, writeBlock } from './block.ts';
import type { View } from './view.ts';

/** The pull request as we last saw it. */
type Seen = Pick<PullFacts, 'node_id' | 'open' | 'draft' | 'labels' | 'body'>;

/** A body read longer ago than this may have been edited since, and is read again before it is written. */
const freshMs = 5000;

/** The pull request itself: draft or ready, its labels and its body. */
export class Pull {
  readonly #target: PullTarget;
  #seen: Seen | undefined;
  #readAt = 0;
  #hasDrafts = true;
  #isDistrusted = false;
  #atWork: string | undefined;

  constructor(target: PullTarget) {
    this.#target = target;
  }

  /** The number of the ledger that the body showed when we last saw it. */
  get shownSeq(): number | undefined {
    return this.#seen && this.seqIn(this.#seen);
  }

  /** Whether something may have to be written, as far as is known without asking GitHub. */
  differs(state: State, view: View): boolean {
    if (this.#isDistrusted || this.#seen === undefined) return true;
    return !isAsWanted(this.#seen, this.#wanted(state, view));
  }

  async read(): Promise<PullFacts> {
    // A failure before the write must not leave an outdated cache.
    this.forget();
    const { octokit, run } = this.#target;
    const { owner, repo: name, number } = run;
    this.#readAt = performance.now();
    return readPull(octokit, { owner, name }, number);
  }

  /** The number of the ledger that a body shows. */
  seqIn({ body }: Pick<Seen, 'body'>): number | undefined {
    const { run, seals } = this.#target;
    const found =
      seals === undefined ? readBlock(body, run.id) : readSealedBlock(body, run.id, { seals, ...run });
    return found?.seq;
  }

  /** Writes what differs from the pull request that was just read, in one call. */
  async render(read: PullFacts, state: State, view: View): Promise<void> {
    const now = performance.now() - this.#readAt > freshMs ? await this.read() : read;
    const wanted = this.#wanted(state, view);
    const { pull } = wanted.view;
    const settled = await setDraft<Seen>(this.#target, now, pull);
    this.#hasDrafts &&= pull !== 'draft' || settled.draft || !settled.open;
    await this.#write(settled, patchFor(settled, wanted));
    this.#isDistrusted = false;
  }

  /** Replaces the body with `change` of it; false if there is nothing to change. */
  async rewrite(change: (body: string) => string | undefined): Promise<boolean> {
    const now = await this.read();
    const body = change(now.body);
    if (body !== undefined) await this.#write(now, { body });
    return body !== undefined;
  }

  /** Closes it; no rendering does, because someone may have reopened it. */
  async close(): Promise<void> {
    const { octokit, run } = this.#target;
    await octokit.rest.issues.update({
      ...repoParamsOf(this.#target),
      issue_number: run.number,
      state: 'closed',
    });
    this.#seen &&= { ...this.#seen, open: false };
  }

  /** Someone changed the block: it is drawn again at the next rendering, even during an iteration. */
  distrust(): void {
    this.#isDistrusted = true;
  }

  /** What is being done, in one line that the next renderings show while it is true. */
  showWork(line: string | undefined): void {
    this.#atWork = line;
  }

  /** The cache may be outdated: read again before the next rendering. */
  forget(): void {
    this.#seen = undefined;
  }

  #wanted(state: State, view: View): Wanted {
    const { seals } = this.#target;
    const isImpossible = view.pull === 'draft' && !this.#hasDrafts;
    const redraws = this.#isDistrusted;
    const atWork = this.#atWork;
    return { state, seals, redraws, atWork, view: isImpossible ? { ...view, pull: 'untouched' } : view };
  }

  async #write(before: Seen, patch: Patch): Promise<void> {
    if (Object.keys(patch).length > 0) {
      const { octokit, run } = this.#target;
      const at = { ...repoParamsOf(this.#target), issue_number: run.number };
      // A pull request is an issue, so this one call changes labels and body.
      await octokit.rest.issues.update({ ...at, ...patch });
    }
    const { labels = before.labels, body = before.body } = patch;
    this.#seen = { ...before, labels, body };
  }
}

interface Patch {
  labels?: string[];
  body?: string;
}

/** How the pull request should be. */
interface Wanted {
  readonly state: State;
  readonly view: View;
  readonly seals: Seals | undefined;
  /** Whether the block is drawn even if it could wait. */
  readonly redraws?: boolean;
  /** What is being done, as far as this process knows. */
  readonly atWork?: string | undefined;
}

function patchFor(now: Seen, wanted: Wanted): Patch {
  const { view } = wanted;
  const labels = labelsFor(now, view);
  const body = bodyFor(now.body, wanted);
  return {
    ...(labels === undefined ? {} : { labels: [...labels] }),
    ...(body === undefined ? {} : { body }),
  };
}

function isAsWanted(seen: Seen, wanted: Wanted): boolean {
  const { view } = wanted;
  const isInState = view.pull === 'draft' ? seen.draft : view.pull !== 'ready' || !seen.draft;
  return (isInState || !seen.open) && Object.keys(patchFor(seen, wanted)).length === 0;
}

/** All labels, other people's first; undefined if they are already right. */
function labelsFor({ labels }: Seen, view: View): readonly string[] | undefined {
  const ours = labels.filter(isOurLabel);
  const right = ours.length === view.labels.length && view.labels.every((label) => hasLabel(ours, label));
  return right ? undefined : [...labels.filter((label) => !isOurLabel(label)), ...view.labels];
}

/**
 * The body with its new block; undefined if it is already right. During an iteration it is written only once,
 * because every write may overwrite a human's edit, and a label shows the phase; and when there is something
 * else to say of what is being done, which is not often.
 */
function bodyFor(body: string, wanted: Wanted): string | undefined {
  const { state, seals, redraws = false } = wanted;
  const found = readBlock(body, state.run.id);
  const shown = atWorkIn(blockIn(body, state.run.id) ?? '');
  const atWork = atWorkFor(wanted, shown);
  const next = writeBlock(body, state, { seals, atWork });
  if (next === body) return undefined;
  if (found === undefined || found.seq > state.seq || found.run !== state.run.id) return next;
  const { run } = state;
  if (seals !== undefined && readSealedBlock(body, run.id, { seals, ...run }) === undefined) return next;
  if (
    !redraws &&
    shown === atWork &&
    isInProgress(found.phase) &&
    isInProgress(shownPhase(state)) &&
    found.iteration === state.iteration
  ) {
    return undefined;
  }
  const unchanged = writeBlock(body, { ...state, seq: found.seq }, { seals, atWork });
  return withoutReturns(unchanged) === withoutReturns(body) ? undefined : next;
}

/** What another process says of the work in progress is left as it is. */
function atWorkFor({ state, atWork }: Wanted, shown: string | undefined): string | undefined {
  return [atWork, shown].find((line) => line !== undefined && isAtWorkOn(line, state));
}

function withoutReturns(text: string): string {
  return text.replaceAll('\r\n', '\n');
}
