import type { Phase, State } from '../../steering/state.ts';
import { readBlock, writeBlock } from './block.ts';
import { setDraft } from './draft.ts';
import { type Place, repositoryOf } from './place.ts';
import { isOurLabel, type View } from './view.ts';

/** The pull request itself: draft or ready, open or closed, its labels and its body. */
export interface Pull {
  /** Writes what differs, in one call; `over` also over a block that claims to be newer. */
  draw(state: State, view: View, over: boolean): Promise<Drawn>;
  /** Writes the body that is made of the one that stands there; false when nothing is to be written. */
  rewrite(change: (body: string) => string | undefined): Promise<boolean>;
  /** What we remember may be outdated: read before the next drawing. */
  forget(): void;
}

/** `newer`: a block from later in the ledger is there, and stays. `shared`: somebody else has drawn since we did. */
export type Drawn = 'drawn' | 'newer' | 'shared';

/** The pull request as we last saw it. */
interface Seen {
  readonly node_id: string;
  readonly open: boolean;
  readonly draft: boolean;
  readonly labels: readonly string[];
  readonly body: string;
}

export function pullOf(place: Place): Pull {
  const at = { ...repositoryOf(place), pull_number: place.run.number };
  let seen: Seen | undefined;
  let hasDrafts = true;
  const read = async (): Promise<Seen> => {
    const { data } = await place.octokit.rest.pulls.get(at);
    const labels = data.labels.map(({ name }) => name);
    const open = data.state === 'open';
    return { node_id: data.node_id, open, draft: data.draft ?? false, labels, body: data.body ?? '' };
  };
  const write = async (before: Seen, patch: Patch): Promise<void> => {
    if (Object.keys(patch).length > 0) {
      // A pull request is an issue: this one call changes its labels, its body and whether it is open.
      await place.octokit.rest.issues.update({
        ...repositoryOf(place),
        issue_number: place.run.number,
        ...patch,
      });
    }
    const { labels = before.labels, body = before.body } = patch;
    seen = { ...before, labels, body, open: patch.state === undefined && before.open };
  };
  return {
    draw: async (state, view, over) => {
      const look = view.pull === 'draft' && !hasDrafts ? 'untouched' : view.pull;
      if (seen !== undefined && isAsWanted(seen, state, { ...view, pull: look })) return 'drawn';
      const drawnBefore = seen === undefined ? undefined : readBlock(seen.body, place.run.id)?.seq;
      const now = await read();
      const seq = readBlock(now.body, place.run.id)?.seq ?? 0;
      seen = undefined;
      if (seq > state.seq && !over) return 'newer';
      const settled = await setDraft(place, now, look);
      hasDrafts &&= look !== 'draft' || settled.draft || !settled.open;
      await write(settled, patchFor(settled, state, view));
      return drawnBefore !== undefined && seq > drawnBefore ? 'shared' : 'drawn';
    },
    rewrite: async (change) => {
      const now = await read();
      const body = change(now.body);
      if (body !== undefined) await write(now, { body });
      return body !== undefined;
    },
    forget: () => {
      seen = undefined;
    },
  };
}

interface Patch {
  labels?: string[];
  body?: string;
  state?: 'closed';
}

function patchFor(now: Seen, state: State, view: View): Patch {
  const labels = labelsFor(now, view);
  const body = bodyFor(now.body, state);
  return {
    ...(labels === undefined ? {} : { labels: [...labels] }),
    ...(view.pull === 'closed' && now.open ? { state: 'closed' } : {}),
    ...(body === undefined ? {} : { body }),
  };
}

function isAsWanted(seen: Seen, state: State, view: View): boolean {
  const isDrawn = view.pull === 'draft' ? seen.draft : view.pull !== 'ready' || !seen.draft;
  return (isDrawn || !seen.open) && Object.keys(patchFor(seen, state, view)).length === 0;
}

/** All labels, other people's first; undefined when they are right already. */
function labelsFor({ labels }: Seen, view: View): readonly string[] | undefined {
  const ours = labels.filter(isOurLabel);
  const right = ours.length === view.labels.length && view.labels.every((label) => ours.includes(label));
  return right ? undefined : [...labels.filter((label) => !isOurLabel(label)), ...view.labels];
}

const atWork: readonly Phase[] = ['queued', 'working', 'verifying'];

/**
 * The body with its new block; undefined when what it says is right already.
 * While a round is under way it is written once: every write may cross a human's edit, and a label tells the phase.
 */
function bodyFor(body: string, state: State): string | undefined {
  const found = readBlock(body, state.run.id);
  const next = writeBlock(body, state);
  if (next === body) return undefined;
  if (found === undefined || found.seq > state.seq || found.run !== state.run.id) return next;
  if (
    atWork.includes(found.phase) &&
    atWork.includes(state.standing.phase) &&
    found.iteration === state.iteration
  ) {
    return undefined;
  }
  const unchanged = writeBlock(body, { ...state, seq: found.seq });
  return withoutReturns(unchanged) === withoutReturns(body) ? undefined : next;
}

function withoutReturns(text: string): string {
  return text.replaceAll('\r\n', '\n');
}
