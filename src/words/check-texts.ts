import { isFlaky } from '../steering/confidence/verifier-results.ts';
import { sayableIn, table } from '../steering/phases/table.ts';
import { either, notRecorded, shortSha } from '../steering/phrases/phrases.ts';
import type { VerifierOutput } from '../steering/shapes/attempt-result.ts';
import type { Evaluation, State } from '../steering/state/state.ts';
import { durationText } from '../text/amounts.ts';
import { beginningOf } from '../text/characters.ts';
import { outputText } from './diff-and-logs.ts';
import { attemptsText, budgetText, costLine } from './parts/attempt-texts.ts';
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
} from './parts/common-phrases.ts';
import { breakdown, confidenceLine, namesRedBefore } from './parts/confidence.ts';
import { blockedText, noticesText } from './parts/evidence-texts.ts';
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

/** People do not find these on the pull request; each says why. */
function undoneText({ undone = [] }: State): string {
  const untold = undone.filter(({ do: what }) => what === 'notify').map(({ reason }) => `- ${plain(reason)}`);
  const refused = undone
    .filter(({ do: what }) => what !== 'notify')
    .map(({ reason }) => `- a reply: ${plain(reason)}`);
  return paragraphs([
    under('GitHub refused to post something here:', [...new Set(refused)]),
    under('Somebody was not told elsewhere:', [...new Set(untold)]),
  ]);
}

/**
 * Says what is special about the settings: branches that share the check, and what of the task is ignored.
 */
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
  const wasRed = !success && namesRedBefore(shown).includes(name);
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
