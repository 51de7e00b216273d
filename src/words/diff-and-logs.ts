import { isOver } from '../steering/phases/table.ts';
import type { VerifierOutput } from '../steering/shapes/attempt-result.ts';
import { isLeased } from '../steering/shapes/standing.ts';
import type { State } from '../steering/state/state.ts';
import { endingOf } from '../text/characters.ts';
import {
  awaitedLines,
  changesText,
  command,
  commit,
  ofStage,
  pullLink,
  supersededText,
} from './parts/common-phrases.ts';
import { code, cut, fenced, type Part, paragraphs, plain, said, under } from './parts/sanitize.ts';
import { failedRunsText, failuresText, verdictLine } from './parts/tests.ts';
import {
  type AtWork,
  callsText,
  type DiffText,
  elapsedText,
  notSeen,
  type Sources,
  stageText,
  verifierStateText,
} from './status-text.ts';

/** The most quoted text a comment may hold; GitHub limits the comment to 65,536 characters. */
const maxText = 50_000;
const maxFiles = 100;
const maxFailures = 20;

/** The answer to `/diff`. */
export async function diffText(
  { path, full }: { readonly path: string | null; readonly full: boolean },
  state: State,
  sources: Sources,
): Promise<string> {
  const all = pullLink(sources.web, state, 'files');
  const diff = await sources.diff(path, full);
  if (diff === undefined)
    return `The diff isn't available right now. [All changes](${all}) are on the Files tab.`;
  if (diff.files.length === 0) {
    if (path === null) return noDifference(state, all);
    return `No changes in ${code(path)}. Use ${command('diff')} without a path to see all changes.`;
  }
  const { files, summary } = diff;
  return paragraphs([changesText(state, { files, summary }, maxFiles), ...bodies(diff, all)]);
}

/** After a merge, the base has everything that the branch has. */
function noDifference({ standing }: State, all: string): string {
  if (!isOver(standing.phase)) return 'No changes yet: the branch is the same as its base.';
  return `The branch no longer differs from its base. [What it changed](${all}) is on the Files tab.`;
}

/** The answer to `/logs`. */
export async function logsText(
  { verifier }: { readonly verifier: string | null },
  state: State,
  sources: Sources,
): Promise<string> {
  const { shown } = state;
  const last =
    shown === null ? await sources.outputs() : { head: shown.head_sha, verifiers: shown.verifiers };
  const now = nowText(state, sources.progress());
  if (last === undefined) {
    const none = `No verifier has finished yet. ${command('status')} shows where the run stands.`;
    return paragraphs([now, none]);
  }
  const { head, verifiers: outputs } = last;
  const asked = outputs.filter(
    ({ name, verifier: whole }) => verifier === null || [name, whole].includes(verifier),
  );
  const max = Math.floor(maxText / Math.max(asked.length, 1));
  const texts =
    asked.length === 0
      ? [noOutput(verifier, outputs)]
      : asked.map((each) => outputText(each, { max, web: sources.web, head }));
  return paragraphs([now, outputOfText(state, head), ...texts, earlierText(state)]);
}

/** Says of which commit the output is that is shown; empty if the run is about that. */
export function outputOfText(state: State, head: string): string {
  return head === state.head
    ? supersededText(state)
    : `This is the output for ${commit(head)}, an earlier commit.`;
}

/** Says how far work in progress is; empty if nothing is. */
function nowText(state: State, { progress, now }: AtWork): string {
  const { standing, iteration, attempt, head } = state;
  if (!isLeased(standing)) return waitText(state);
  const { since, until } = standing.hold;
  const isOfHead = standing.phase === 'verifying' && standing.work === 'verify_head';
  const which = isOfHead
    ? `The verification of ${commit(head)}`
    : `Iteration ${iteration}, attempt ${attempt}${standing.phase === 'working' ? ofStage(state) : ''}`;
  const leased = `${since === undefined ? '' : `since ${since}, `}until ${until} at the latest`;
  if (progress === undefined) return `${which} is at work ${leased}; its progress is ${notSeen}.`;
  const { stage, calls, verifiers = [] } = progress;
  const done = calls.total > 0 && callsText(calls);
  const facts = said([stageText(progress), elapsedText(progress.since, now), done]);
  const begins = `${which} is at work: ${facts.join(', ')}.`;
  const lines = verifiers.map((one) => `- ${code(one.name)}: ${verifierStateText(one, now)}`);
  return (stage === 'verifiers' && under(begins, lines)) || begins;
}

/** Says what CI has still to say; empty if nothing is waited for. */
function waitText(state: State): string {
  const lines = awaitedLines(state).map((line) => `- ${plain(line)}`);
  return under(`CI has not finished on ${commit(state.head)}:`, lines);
}

/** The ledger keeps the whole output of every attempt. */
function earlierText({ run, standing }: State): string {
  const ref = `refs/coxswain/${isOver(standing.phase) ? 'closed' : 'open'}/${run.number}`;
  const list = code(`git fetch origin ${ref} && git ls-tree -r --name-only FETCH_HEAD iterations/`);
  return `<sub>Every attempt and its output are in the ledger: ${list} lists them, ${code('git show FETCH_HEAD:<path>')} shows one.</sub>`;
}

/**
 * One verifier: its verdict and the tests that failed, then its output, of which the end is kept. `web` is the
 * address of the repository, `head` the commit that it ran on.
 */
export function outputText(
  output: VerifierOutput,
  { max, ...at }: { readonly max: number; readonly web: string; readonly head: string },
): string {
  const parts = (['stdout', 'stderr'] as const).filter((stream) => output[stream].trim() !== '');
  const failures = failuresText(output, { most: maxFailures, room: Math.floor(max / 2), at });
  const share = Math.floor((max - failures.length) / Math.max(parts.length, 1));
  const texts = parts.map((stream) => `${stream}:\n\n${fenced(tail(output[stream], share), 'text')}`);
  return paragraphs([
    code(verdictLine(output)),
    failures,
    failedRunsText(output),
    ...texts,
    parts.length === 0 && 'No output.',
  ]);
}

function bodies({ files, truncated }: DiffText, all: string): readonly Part[] {
  const text = files.map(({ diff }) => diff.trimEnd()).join('\n');
  const shown = cut(text, maxText);
  return [
    text.trim() !== '' && fenced(shown, 'diff'),
    (truncated || shown !== text) && `The diff is too long to show in full. See [all changes](${all}).`,
  ];
}

function noOutput(verifier: string | null, outputs: readonly VerifierOutput[]): string {
  const known = outputs.map(({ name }) => code(name)).join(', ');
  if (verifier === null || known === '') return 'No verifiers are configured, so there is no output.';
  return `There is no verifier named ${code(verifier)}. These ran: ${known}.`;
}

function tail(text: string, max: number): string {
  return text.length <= max ? text : `[truncated]\n${endingOf(text, max)}`;
}
