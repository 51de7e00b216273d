import { verifierCheck as verifierCheckName } from '../../config/check-names.ts';
import { objectionToWay } from '../../steering/approval/authorization.ts';
import { openInteraction } from '../../steering/iterations/interactions.ts';
import { isOver, possibleIn } from '../../steering/phases/table.ts';
import { type SettledInteraction, shownPhase } from '../../steering/shapes/standing.ts';
import type { Evaluation, State } from '../../steering/state/state.ts';
import { askText, type CheckText, decisionCheck, verifierCheck } from '../../words/index.ts';
import { recordedWords, wordsOf } from '../../words/phases/index.ts';
import { type Button, type CheckResult, type Conclusion, commandOf } from '../../words/phases/row.ts';

import { ourLabel } from '../names.ts';
import type { PullState } from '../write/draft.ts';
import {
  type Annotation,
  annotationsOf,
  concernAnnotations,
  gateAnnotations,
  maxAnnotations,
} from './annotations.ts';

/** How the pull request should look, except for its body; computed from the state alone. */
export interface View {
  readonly pull: PullState;
  /** Only our own labels; all others are left alone. */
  readonly labels: readonly string[];
  readonly checks: readonly CheckView[];
  readonly ask: Ask | null;
  /** Settled interactions, newest first; their comments show how they ended. */
  readonly settled: readonly SettledInteraction[];
}

export type CheckView = CheckText & {
  readonly name: string;
  readonly head_sha: string;
  readonly external_id: string;
  readonly result: CheckResult;
  readonly actions: readonly Button[];
  readonly annotations: readonly Annotation[];
};

export interface Ask {
  readonly interaction: string;
  readonly text: string;
}

const maxVerifiers = 50;

/** `web` is the repository's web address, such as `https://github.com/acme/api`. */
export function viewOf(state: State, web: string): View {
  return {
    pull: pullOf(state),
    labels: [ourLabel, `${ourLabel}:${shownPhase(state)}`],
    checks: [decisionView(state, web), ...verifierViews(state, web)],
    ask: askOf(state, web),
    settled: state.interactions.slice(-3).reverse(),
  };
}

function pullOf({ standing }: State): PullState {
  if (standing.phase === 'approved') return standing.finish === 'finished' ? 'ready' : 'draft';
  const isGone = standing.phase === 'paused' && standing.why === 'branch_deleted';
  return isGone || isOver(standing.phase) ? 'untouched' : 'draft';
}

/** Belongs to the head, so that a branch rule that requires it controls merging. */
function decisionView(state: State, web: string): CheckView {
  return {
    ...decisionCheck(state, web),
    name: state.settings.check,
    head_sha: state.head,
    external_id: decisionId(state),
    result: recordedWords(state).result(state),
    actions: buttonsOf(state),
    annotations: annotationsIn(state),
  };
}

function annotationsIn(state: State): readonly Annotation[] {
  return [...gateAnnotations(state.shown?.gates ?? []), ...concernAnnotations(state)].slice(
    0,
    maxAnnotations,
  );
}

/**
 * Each button counts once for each person, so what was clicked and came to the same end needs a new one. A
 * run may stop again before it was drawn at work.
 */
function decisionId(state: State): string {
  const { standing, run } = state;
  if (standing.phase === 'failed' && standing.seq !== undefined)
    return `failed:${run.number}:${standing.seq}`;
  return openInteraction(state)?.id ?? `work:${run.number}:${state.iteration}`;
}

function verifierViews(state: State, web: string): readonly CheckView[] {
  const { shown, settings } = state;
  if (shown === null) return [];
  // What is a check of the repository's own CI is on the commit already, with its log.
  const ours = shown.verifiers.filter(({ check }) => check === undefined);
  return ours.slice(0, maxVerifiers).map((output) => ({
    ...verifierCheck(output, shown, web),
    name: verifierCheckName(settings.check, output.name),
    head_sha: shown.head_sha,
    external_id: `verifier:${state.run.number}:${state.iteration}`,
    result: verifierResult(output),
    actions: [],
    annotations: annotationsOf(output, shown.changes.files),
  }));
}

function verifierResult({ success, timed_out }: Evaluation['verifiers'][number]): Conclusion {
  if (success) return 'success';
  return timed_out ? 'timed_out' : 'failure';
}

function askOf(state: State, web: string): Ask | null {
  const open = state.standing.phase === 'timed_out' ? null : openInteraction(state);
  return open === null ? null : { interaction: open.id, text: askText(state, web) };
}

const maxButtons = 3;

/** As many as GitHub allows, all for commands available now. Only an App receives clicks. */
function buttonsOf(state: State): readonly Button[] {
  if (state.run.presenter !== 'app') return [];
  const possible = possibleIn(state);
  const wanted = wordsOf(state).buttons?.(state) ?? [];
  return wanted
    .filter(({ identifier }) => {
      const name = commandOf(identifier);
      return possible.includes(name) && objectionToWay(state, name, 'button') === undefined;
    })
    .slice(0, maxButtons);
}
