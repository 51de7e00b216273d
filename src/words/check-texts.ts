import { isFlaky } from '../steering/confidence/verifier-results.ts';
import { sayableIn, table } from '../steering/phases/table.ts';
import { either, notRecorded, shortSha } from '../steering/phrases/phrases.ts';
import type { VerifierOutput } from '../steering/shapes/attempt-result.ts';
import type { Phase } from '../steering/shapes/standing.ts';
import type { Evaluation, State } from '../steering/state/state.ts';
import { durationText } from '../text/amounts.ts';
import { beginningOf } from '../text/characters.ts';
import { outputText } from './diff-and-logs.ts';
import { attemptsText, budgetText, costLine } from './parts/attempt-texts.ts';
import { breakdown, confidenceLine, redBefore } from './parts/confidence.ts';
import { blockedText, noticesText } from './parts/evidence-texts.ts';
import {
  acting,
  ciText,
  command,
  commandList,
  commit,
  keptText,
  pullLink,
  sandboxText,
  supersededText,
} from './parts/phrases.ts';
import { gatesText, reviewText } from './parts/risk.ts';
import { code, cut, markdown, paragraphs, plain, said, under } from './parts/sanitize.ts';
import { isContradicted, runsText, testsText } from './parts/tests.ts';
import { wordsOf } from './phases/index.ts';

/** The text of a check run. GitHub limits summary and text to 65,535 each. */
export interface CheckText {
  readonly title: string;
  readonly summary: string;
  readonly text: string;
}

const maxCheckText = 60_000;

/**
 * The check run `Coxswain`: where the run stands, and how its confidence came about; not beside held work or a
 * stopped agent, of which it says nothing.
 */
export function decisionCheck(state: State, web: string): CheckText {
  const shown = table[state.standing.phase].kind === 'asks_midway' ? null : state.shown;
  const words = wordsOf(state);
  const parts = [
    ...words.summary(state, web),
    shown !== null && supersededText(state),
    shown !== null && confidenceLine(state),
    shown !== null && gatesText(shown, { state, web }),
    shown !== null && reviewText(state, 'check'),
    costLine(state),
    ciText(state),
    sandboxText(state),
    blockedText(state),
    budgetText(state),
    rulesText(state),
    undoneText(state),
    attemptsText(state),
    keptText(state),
    commandsText(state, web),
    noticesText(state),
  ];
  return {
    title: cut(words.title(state), 200),
    summary: bounded(paragraphs(parts)),
    text: shown === null ? '' : bounded(breakdown(state, shown)),
  };
}

/** The commands available now by their names alone: what each does is told where people write them. */
function commandsText(state: State, web: string): string {
  const where = `Comment a command on [the pull request](${pullLink(web, state)})`;
  const names = acting(sayableIn(state)).map(command);
  if (names.length === 0) return `${commandList(state)} ${where}.`;
  return `${where}: ${names.join(', ')}; ${command('help')} says what each does.`;
}

/** What people do not find on the pull request, and why. */
function undoneText({ undone = [] }: State): string {
  const untold = undone.filter(({ do: what }) => what === 'notify').map(({ reason }) => `- ${plain(reason)}`);
  const refused = undone
    .filter(({ do: what }) => what !== 'notify')
    .map(({ do: what, reason }) => {
      return `- ${what === 'react' ? 'a reaction to a comment' : 'a reply'}: ${plain(reason)}`;
    });
  return paragraphs([
    under('GitHub refused to post something here:', [...new Set(refused)]),
    under('Somebody was not told elsewhere:', [...new Set(untold)]),
  ]);
}

/** What is special about the settings: branches that share the check, and what of the task is ignored. */
function rulesText({ settings: { shared_by, ignored = [] } }: State): string {
  const left = ignored.map((each) => `- ${plain(each)}`);
  return paragraphs([
    shared_by &&
      `An approval for any branch matching ${either(shared_by.map((glob) => code(glob)))} counts for all of them.`,
    under('These settings of the task no longer apply:', left),
  ]);
}

/** The check run `Coxswain / <verifier>`; `web` is the address of the repository. */
export function verifierCheck(
  output: VerifierOutput,
  shown: Pick<Evaluation, 'baseline' | 'head_sha'>,
  web: string,
): CheckText {
  const { name, success, exit_code, timed_out, required, duration_s } = output;
  const verdict = success ? 'Passed' : timed_out ? 'Timed out' : `Failed (exit code ${exit_code})`;
  const wasRed = !success && redBefore(shown).includes(name);
  const before = wasRed ? ' It was red before this change, too.' : '';
  const runs = runsText(output);
  const joint = isContradicted(output) ? ', ' : ': ';
  const told = said([`${verdict} after ${durationText(duration_s)}`, testsText(output, markdown.name)]);
  // The verdict has said whether they failed, unless it is that time was up.
  const tests = timed_out ? testsText(output) : testsText(output).replace(/ (?:failed|passed)(?=,|$)/, '');
  const brief = said([verdict, tests]).join(joint);
  return {
    title: cut(
      said([
        brief,
        isFlaky(output) && 'flaky',
        !required && 'not required',
        wasRed && 'red before this change',
      ]).join(', '),
      200,
    ),
    summary: said([
      `${told.join(joint)}. This verifier is ${required ? '' : 'not '}required.${before}`,
      runs && `It ${success ? 'is ' : ''}${runs}.`,
    ]).join(' '),
    text: bounded(outputText(output, { max: 40_000, web, head: shown.head_sha })),
  };
}

/** Counts bytes, which is the strictest reading of GitHub's limit. */
function bounded(text: string): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxCheckText));
  return read === text.length ? text : `${beginningOf(text, read)}…`;
}

/** The check run of a commit that is no longer the head. */
export function supersededCheck(head: string): CheckText {
  const title = `Superseded by ${shortSha(head)}`;
  return { title, summary: `${commit(head)} is now the head and has its own check.`, text: '' };
}

/** The check run for a base that the pull request no longer has. */
export function otherBaseCheck(base: string): CheckText {
  const summary = `The base of this pull request is now ${code(base)}, which has its own check.`;
  return { title: cut(`The base is now ${base}`, 200), summary, text: '' };
}

/** The check run of a run whose ledger is lost. */
export function lostCheck(): CheckText {
  const summary = 'Its approvals do not count. A comment on the pull request says how to continue.';
  return { title: 'The ledger of this run is lost', summary, text: '' };
}

/** The check run of an approved run about which something cannot be recorded. */
export function withheldCheck(): CheckText {
  const summary =
    `Something ${notRecorded}, and it may affect the approval. ` +
    'Coxswain keeps trying; the check passes again as soon as it is recorded, if the approval still holds.';
  return { title: 'Approved, but not everything is recorded', summary, text: '' };
}

/** The check run of a pull request that is not a run; or that it was one after all. */
export function notARunCheck(passes: boolean): CheckText {
  if (!passes)
    return {
      title: 'This is a run now',
      summary: 'A run has its own check, and that is the one that counts.',
      text: '',
    };
  const summary =
    `No agent is working on this pull request, and ${code('others: pass')} in the configuration lets it through. ` +
    `Someone with write access can use ${command('run')} to let an agent work on it.`;
  return { title: 'Not a run', summary, text: '' };
}

/**
 * What keeps a pull request of a merge group from being merged. `others`: it is no run, and the configuration
 * lets none through. `commit_of_run`: it is no run, but has a commit of one.
 */
export type AgainstMember =
  | { readonly why: 'not_approved'; readonly phase: Phase }
  | { readonly why: 'moved' | 'fallen' | 'ended' | 'ledger' | 'elsewhere' | 'others' | 'commit_of_run' };

/** A pull request of a merge group. */
export interface GroupMember {
  readonly number: number;
  readonly isRun: boolean;
  /** Absent if nothing keeps it from being merged. */
  readonly against?: AgainstMember;
}

/** How far a merge group has come. */
export type GroupSaid =
  | { readonly is: 'verifying' | 'passed' }
  | { readonly is: 'refused' }
  /** Required verifiers, by name, or why none could run. */
  | { readonly is: 'failed'; readonly verifiers: readonly string[]; readonly problem?: string };

/** The check run `Coxswain` on the head of a merge group. */
export function groupCheck(said: GroupSaid, members: readonly GroupMember[]): CheckText {
  const listed = members.map((member) => `- ${lineOf(member)}`).join('\n');
  return {
    title: cut(titleOf(said, members), 200),
    summary: paragraphs([`This merge group has:\n\n${listed}`, explanationOf(said, members)]),
    text: '',
  };
}

/**
 * What failed on a merge group, each in part of a sentence, for those whose pull request leaves the queue.
 */
export function groupFailures(said: GroupSaid, members: readonly GroupMember[]): readonly string[] {
  if (said.is === 'refused')
    return members.flatMap(({ number, against }) => (against ? [`#${number} ${againstText(against)}`] : []));
  if (said.is !== 'failed') return [];
  return [said.problem ?? `on the merged result, required verifiers failed: ${said.verifiers.join(', ')}`];
}

/** The check run of a merge group that GitHub has given up. */
export function goneGroupCheck(): CheckText {
  const summary = 'GitHub has given up this merge group, so what was found out about it counts for nothing.';
  return { title: 'This merge group no longer exists', summary, text: '' };
}

function titleOf(said: GroupSaid, members: readonly GroupMember[]): string {
  switch (said.is) {
    case 'verifying':
      return 'Verifying the merged result';
    case 'passed':
      return members.some(({ isRun }) => isRun) ? 'Approved and verified' : 'No run in this merge group';
    case 'refused':
    case 'failed':
      return groupFailures(said, members).join('; ');
  }
}

function explanationOf(said: GroupSaid, members: readonly GroupMember[]): string {
  switch (said.is) {
    case 'verifying':
      return 'Every run in it is approved. Its verifiers now run on the commit that would be merged.';
    case 'passed':
      if (!members.some(({ isRun }) => isRun))
        return `${code('others: pass')} lets these pull requests through.`;
      return 'Every run in it is approved, and its required verifiers passed on the commit that would be merged.';
    case 'refused':
      return 'GitHub merges nothing of it. Without the pull request that is named, it makes a new group.';
    case 'failed':
      return said.problem === undefined
        ? 'Each pull request is verified on its own as well: what fails only here fails with what is merged before it.'
        : plain(said.problem);
  }
}

function lineOf({ number, isRun, against }: GroupMember): string {
  if (against !== undefined) return `#${number}, which ${againstText(against)}`;
  return isRun ? `#${number}, an approved run` : `#${number}, which is not a run`;
}

function againstText(against: AgainstMember): string {
  switch (against.why) {
    case 'not_approved':
      return `is not approved: its run is ${against.phase.replaceAll('_', ' ')}`;
    case 'moved':
      return 'has another head or base than the one that was approved';
    case 'fallen':
      return 'is not approved any more';
    case 'ended':
      return 'belongs to a run that has ended';
    case 'ledger':
      return 'belongs to a run whose ledger cannot be read';
    case 'elsewhere':
      return 'belongs to a run of another installation of Coxswain, which has to approve it';
    case 'others':
      return 'is not a run, and the configuration lets no such pull request through';
    case 'commit_of_run':
      return 'is not a run, but contains a commit of one';
  }
}
