import { verifierCheck as verifierCheckName } from '../../config/check-names.ts';
import { objectionToWay } from '../../steering/approval/authorization.ts';
import { openConcerns, reviewOf } from '../../steering/confidence/evaluation.ts';
import { openInteraction } from '../../steering/iterations/interactions.ts';
import { isOver, possibleIn } from '../../steering/phases/table.ts';
import type {
  FileChange,
  GateHit,
  TestFailure,
  VerifierOutput,
} from '../../steering/shapes/attempt-result.ts';
import { shownPhase } from '../../steering/shapes/standing.ts';
import type { Evaluation, State } from '../../steering/state/state.ts';
import { visible } from '../../text/characters.ts';
import { repositoryPath, spotIn } from '../../text/spots.ts';
import { askText, type CheckText, decisionCheck, inertTitle, verifierCheck } from '../../words/index.ts';
import { recordedWords, wordsOf } from '../../words/phases/index.ts';
import { type Button, type CheckResult, type Conclusion, commandOf } from '../../words/phases/row.ts';
import { ourLabel } from '../names.ts';
import type { PullState } from '../write/open-pull.ts';

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

/** How the pull request should look, except for its body; computed from the state alone. */
export type View = ReturnType<typeof viewOf>;

/** `web` is the repository's web address, such as `https://github.com/acme/api`. */
export function viewOf(state: State, web: string) {
  return {
    pull: pullOf(state),
    /** Only our own labels; all others are left alone. */
    labels: [ourLabel, `${ourLabel}:${shownPhase(state)}`],
    checks: [decisionView(state, web), ...verifierViews(state, web)],
    ask: askOf(state, web),
    /** Settled interactions, newest first; their comments show how they ended. */
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

/** An annotation of a line of code, as the Checks API expects it. */
interface Annotation {
  readonly path: string;
  readonly start_line: number;
  readonly end_line: number;
  readonly annotation_level: 'failure' | 'warning' | 'notice';
  readonly message: string;
}

/** GitHub accepts 50 per request. A decision has no more, which would only hide the first ones. */
export const maxAnnotations = 50;

/** With more, nobody would see the files for them. */
const maxFindings = 100;

/**
 * The lines of code at which tests of a failed verifier failed, each once; then those that its output refers
 * to besides, in the formats tools usually print.
 */
export function annotationsOf(output: VerifierOutput, files: readonly FileChange[]): readonly Annotation[] {
  if (output.success) return [];
  const named = (output.tests?.failures ?? []).flatMap(failureAt);
  const failed = named.filter((each, index) => named.findIndex(isSameLine(each)) === index);
  // Programs name paths from the folder in which they ran, whose name may come before.
  const isSaid = (each: Annotation) =>
    failed.some(
      ({ path, start_line }) => start_line === each.start_line && `/${path}`.endsWith(`/${each.path}`),
    );
  const found = findingsIn(output, files).filter((each) => !isSaid(each));
  return [...failed, ...found].slice(0, maxFindings);
}

function failureAt({ name, message, path = '', line }: TestFailure): readonly Annotation[] {
  return annotationAt({ path, line }, 'failure', message === '' ? name : `${name}: ${message}`);
}

function isSameLine(one: Annotation) {
  return (other: Annotation) => one.path === other.path && one.start_line === other.start_line;
}

function findingsIn(output: VerifierOutput, files: readonly FileChange[]): readonly Annotation[] {
  const changed = files.map(({ path }) => path);
  const found = new Map<string, Annotation>();
  let lastError = `${output.name} failed here`;
  for (const line of visible(`${output.stdout}\n${output.stderr}`).split('\n')) {
    if (found.size >= maxFindings) break;
    lastError = errorIn(line) ?? lastError;
    const spot = spotIn(line);
    const path = spot === undefined ? undefined : repositoryPath(spot.path, changed);
    if (spot === undefined || path === undefined || spot.line > lastLine) continue;
    const annotation = annotate(path, spot.line, inertTitle(spot.message ?? lastError, 1000));
    const key = `${path}:${spot.line}:${annotation.message}`;
    if (!found.has(key)) found.set(key, annotation);
  }
  return [...found.values()];
}

/** GitHub rejects the whole check run if one line number is too large. */
const lastLine = 1_000_000;

/** `Error: …`, `AssertionError: …`, `✖ …`: the error to which a following stack trace belongs. */
function errorIn(line: string): string | undefined {
  const text = line.trim();
  if (/^\w*(?:Error|Exception)(?: \[\w+\])?: \S/.test(text)) return text;
  return /^(?:✖|×|FAIL|not ok)\s+\S/.test(text) ? text : undefined;
}

function annotate(path: string, line: number, message: string): Annotation {
  const at = Math.max(1, line);
  const annotation_level = /\bwarn(?:ing)?\b/i.test(message) ? 'warning' : 'failure';
  return { path, start_line: at, end_line: at, annotation_level, message };
}

/** The lines of code because of which people are asked, in the files view of the pull request. */
export function gateAnnotations(gates: readonly GateHit[]): readonly Annotation[] {
  return gates
    .flatMap(({ path, line, ...hit }) =>
      path === undefined || line === undefined || line > lastLine ? [] : [annotationOf({ path, line }, hit)],
    )
    .slice(0, maxAnnotations);
}

/** What the second opinion on the head is concerned about, at its lines. */
export function concernAnnotations(state: State): readonly Annotation[] {
  const review = state.shown === null ? undefined : reviewOf(state, state.head);
  if (review === undefined) return [];
  return openConcerns(review).flatMap(({ id, file: path, line, severity, text }) => {
    const message = `Second opinion, ${id} (${severity}): ${text}`;
    return annotationAt({ path, line }, severity === 'low' ? 'notice' : 'warning', message);
  });
}

/** An annotation of what a program or a reviewer has named; none if it is no line that GitHub takes. */
function annotationAt(
  { path, line }: { readonly path: string; readonly line: number | undefined },
  annotation_level: Annotation['annotation_level'],
  text: string,
): readonly Annotation[] {
  if (line === undefined || line < 1 || line > lastLine || !isInside(path)) return [];
  return [{ path, start_line: line, end_line: line, annotation_level, message: inertTitle(text, 1000) }];
}

/** They can name anything, and GitHub refuses the whole check run for a path that is none. */
function isInside(path: string): boolean {
  return path === visible(path) && !/[\n\t\\]/.test(path) && path.split('/').every(isName);
}

function isName(name: string): boolean {
  return name.trim() !== '' && name !== '.' && name !== '..' && name !== '.git';
}

function annotationOf(
  { path, line }: { readonly path: string; readonly line: number },
  { rule, severity, evidence, allows }: Omit<GateHit, 'path' | 'line'>,
): Annotation {
  const means = allows === undefined ? '' : `. Approving it means: ${allows}`;
  return {
    path,
    start_line: line,
    end_line: line,
    annotation_level: severity === 'low' ? 'notice' : 'warning',
    message: inertTitle(`${rule} (${severity}): ${evidence}${means}`, 1000),
  };
}
