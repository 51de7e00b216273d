import type { Seals } from '../../seal/seals.ts';
import { isInProgress } from '../../steering/standing.ts';
import type { State } from '../../steering/state.ts';
import { isOurLabel } from '../names.ts';
import { setDraft } from '../write/draft.ts';
import { type PullTarget, repoParamsOf } from '../write/pull-target.ts';
import { readBlock, readSealedBlock, writeBlock } from './block.ts';
import type { View } from './view.ts';

/** `newer`: the body shows a later state. `shared`: another process has rendered since we did. */
export type RenderOutcome = 'rendered' | 'newer' | 'shared';

/** The pull request as we last saw it. */
interface Seen {
  readonly node_id: string;
  readonly open: boolean;
  readonly draft: boolean;
  readonly labels: readonly string[];
  readonly body: string;
}

/** The pull request itself: draft or ready, open or closed, its labels and its body. */
export class Pull {
  readonly #target: PullTarget;
  #seen: Seen | undefined;
  #hasDrafts = true;
  #isDistrusted = false;

  constructor(target: PullTarget) {
    this.#target = target;
  }

  /** Writes what differs, in one call; with `force`, even over a block that claims to be newer. */
  async render(state: State, view: View, force: boolean): Promise<RenderOutcome> {
    const { seals } = this.#target;
    const wanted = view.pull === 'draft' && !this.#hasDrafts ? 'untouched' : view.pull;
    const isWanted = { state, view: { ...view, pull: wanted }, seals };
    if (!this.#isDistrusted && this.#seen !== undefined && isAsWanted(this.#seen, isWanted))
      return 'rendered';
    const before = this.#seqIn(this.#seen?.body);
    const now = await this.#read();
    const seq = this.#seqIn(now.body) ?? 0;
    if (seq > state.seq && !force) return 'newer';
    const settled = await setDraft(this.#target, now, wanted);
    this.#hasDrafts &&= wanted !== 'draft' || settled.draft || !settled.open;
    const redraws = this.#isDistrusted;
    await this.#write(settled, patchFor(settled, { state, view, seals, redraws }));
    this.#isDistrusted = false;
    return before !== undefined && seq > before ? 'shared' : 'rendered';
  }

  /** Replaces the body with `change` of it; false if there is nothing to change. */
  async rewrite(change: (body: string) => string | undefined): Promise<boolean> {
    const now = await this.#read();
    const body = change(now.body);
    if (body !== undefined) await this.#write(now, { body });
    return body !== undefined;
  }

  /** Someone changed the block: it is drawn again at the next rendering, even during an iteration. */
  distrust(): void {
    this.#isDistrusted = true;
  }

  /** The cache may be outdated: read again before the next rendering. */
  forget(): void {
    this.#seen = undefined;
  }

  #seqIn(body: string | undefined): number | undefined {
    if (body === undefined) return undefined;
    const { run, seals } = this.#target;
    const found =
      seals === undefined ? readBlock(body, run.id) : readSealedBlock(body, run.id, { seals, ...run });
    return found?.seq;
  }

  async #read(): Promise<Seen> {
    // A failure before the write must not leave an outdated cache.
    this.forget();
    const { octokit, run } = this.#target;
    const { data } = await octokit.rest.pulls.get({ ...repoParamsOf(this.#target), pull_number: run.number });
    const { node_id, state, draft = false, body } = data;
    const labels = data.labels.map(({ name }) => name);
    return { node_id, open: state === 'open', draft, labels, body: body ?? '' };
  }

  async #write(before: Seen, patch: Patch): Promise<void> {
    if (Object.keys(patch).length > 0) {
      const { octokit, run } = this.#target;
      const at = { ...repoParamsOf(this.#target), issue_number: run.number };
      // A pull request is an issue, so this one call changes labels, body and state.
      await octokit.rest.issues.update({ ...at, ...patch });
    }
    const { labels = before.labels, body = before.body } = patch;
    this.#seen = { ...before, labels, body, open: patch.state === undefined && before.open };
  }
}

interface Patch {
  labels?: string[];
  body?: string;
  state?: 'closed';
}

/** How the pull request should be. */
interface Wanted {
  readonly state: State;
  readonly view: View;
  readonly seals: Seals | undefined;
  /** Whether the block is drawn even if it could wait. */
  readonly redraws?: boolean;
}

function patchFor(now: Seen, wanted: Wanted): Patch {
  const { view } = wanted;
  const labels = labelsFor(now, view);
  const body = bodyFor(now.body, wanted);
  return {
    ...(labels === undefined ? {} : { labels: [...labels] }),
    ...(view.pull === 'closed' && now.open ? { state: 'closed' } : {}),
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
  const right = ours.length === view.labels.length && view.labels.every((label) => ours.includes(label));
  return right ? undefined : [...labels.filter((label) => !isOurLabel(label)), ...view.labels];
}

/**
 * The body with its new block; undefined if it is already right. During an iteration it is written only once,
 * because every write may overwrite a human's edit, and a label shows the phase.
 */
function bodyFor(body: string, { state, seals, redraws = false }: Wanted): string | undefined {
  const found = readBlock(body, state.run.id);
  const next = writeBlock(body, state, seals);
  if (next === body) return undefined;
  if (found === undefined || found.seq > state.seq || found.run !== state.run.id) return next;
  const { run } = state;
  if (seals !== undefined && readSealedBlock(body, run.id, { seals, ...run }) === undefined) return next;
  if (
    !redraws &&
    isInProgress(found.phase) &&
    isInProgress(state.standing.phase) &&
    found.iteration === state.iteration
  ) {
    return undefined;
  }
  const unchanged = writeBlock(body, { ...state, seq: found.seq }, seals);
  return withoutReturns(unchanged) === withoutReturns(body) ? undefined : next;
}

function withoutReturns(text: string): string {
  return text.replaceAll('\r\n', '\n');
}
