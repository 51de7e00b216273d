import { rulesOf } from '../steering/approval/approval-needs.ts';
import { commandNames, commandSpecs } from '../steering/commands/index.ts';
import type { ReplyContent } from '../steering/effects/pending-effect.ts';
import { limits } from '../steering/limits.ts';
import { requirementOf } from '../steering/policy.ts';
import { shownPhase } from '../steering/standing.ts';
import type { State } from '../steering/state.ts';
import { possibleIn } from '../steering/table.ts';
import type { Sources } from './at-work.ts';
import { amountText } from './budget.ts';
import { diffText, logsText } from './diff-and-logs.ts';
import { restoredText } from './lost-ledger.ts';
import { approveAgain, command, commit, compareLink } from './phrases.ts';
import { droppedText, notUndoneText, refusalText, undoingText } from './refusals.ts';
import { askTasksText, dependencyClosedText, notSpawnedText } from './resolving.ts';
import { code, codeInCell, mention, plain } from './sanitize.ts';
import { statusReply } from './status.ts';
import { whyText } from './why.ts';

/** The reply to a person, as Markdown. */
export async function replyText(words: ReplyContent, state: State, sources: Sources): Promise<string> {
  switch (words.say) {
    case 'refused':
      return refusalText(words.refusal, { possible: words.possible, web: sources.web });
    case 'queued':
      return queuedText(words, state);
    case 'told':
      return toldTexts[words.how];
    case 'raised':
      return `${limits[words.limit].of === 'attempt' ? 'Each attempt of this run' : 'This run'} may now use ${amountText(words.limit, words.to)}.`;
    case 'extended':
      return `This run may now have ${words.to} iterations.`;
    case 'undoing':
      return undoingText(words);
    case 'not_undone':
      return notUndoneText(words);
    case 'dropped':
      return droppedText(words.by);
    case 'withdrawn':
    case 'changed':
    case 'unchanged':
      return `Queued steer ${words.place} ${editTexts[words.say]}.`;
    case 'revoked':
      return revokedText(words, state, sources.web);
    case 'retargeted':
      return retargetedText(words, state);
    case 'finish_refused':
      return finishRefusedText(words, state);
    case 'restored':
      return restoredText(words.lost, state);
    case 'counted':
      return countedText(words);
    case 'ask_reason':
      return reasonText(state);
    case 'ask_tasks':
      return askTasksText(state);
    case 'dependency_closed':
      return dependencyClosedText(words.numbers);
    case 'spawn_failed':
    case 'spawn_overtaken':
      return notSpawnedText(words);
    case 'status':
      return statusReply(state, sources);
    case 'why':
      return whyText(state, sources.web);
    case 'help':
      return helpText(state);
    case 'diff':
      return diffText(words, state, sources);
    case 'logs':
      return logsText(words, state, sources);
  }
}

function queuedText(
  { place, untold }: Extract<ReplyContent, { say: 'queued' }>,
  { standing }: State,
): string {
  const why = untold ? 'The agent at work cannot be told, and is not stopped. ' : '';
  const when = standing.phase === 'paused' ? `after ${command('resume')}` : 'when the current work ends';
  return `${why}Queued as steer ${place}. All queued steers together become the next iteration, in order, ${when}.`;
}

/** What has become of a steer whose comment was edited. */
const editTexts = {
  withdrawn: 'was withdrawn because its comment no longer contains it',
  changed: 'was updated to match its comment',
  unchanged: 'stays as its author wrote it; only the author can change it',
};

function reasonText({ run }: State): string {
  const use = run.issue === null ? '' : `, and the next run on #${run.issue} is told your reason`;
  return `Why? Nothing has changed yet: comment ${code('/reject <reason>')} to close this${use}.`;
}

/** Not only how many are missing, but also whose. */
function countedText({ have, need, missing = [] }: Extract<ReplyContent, { say: 'counted' }>): string {
  const left = missing.length === 0 ? [`${need - have}`] : missing.map((each) => plain(each));
  return `Approval ${have} of ${need} recorded. Still needed: ${left.join('; ')}.`;
}

const toldTexts = {
  injected: 'The agent was told, in the middle of its work.',
  restarted_turn: 'The agent was stopped where it was, and goes on from there with these words.',
  unable: 'The agent could not be told any more, so this is the next iteration.',
  too_late: 'The agent could not be told any more, and this run has no iterations left.',
};

function revokedText(words: Extract<ReplyContent, { say: 'revoked' }>, state: State, web: string): string {
  const { approved, head, by } = words;
  const changed = `[what has changed](${compareLink(web, approved, head)})`;
  return (
    `The approval of ${commit(approved)}${byWhom(words)} no longer counts because ${plain(by)} pushed ${commit(head)}. ` +
    `When the verifiers have run again, review ${changed}, then ${approveAgain(state, head)}.`
  );
}

function retargetedText(words: Extract<ReplyContent, { say: 'retargeted' }>, state: State): string {
  const { from, base, by } = words;
  return (
    `The approval${byWhom(words)} no longer counts because ${plain(by)} changed the base from ${code(from)} to ${code(base)}. ` +
    `When the verifiers have run again for ${code(base)}, review it, then ${approveAgain(state, state.head)}.`
  );
}

function finishRefusedText(words: Extract<ReplyContent, { say: 'finish_refused' }>, state: State): string {
  return (
    `Not finished: ${words.reasons.map((reason) => plain(reason)).join('; ')}. ` +
    `The approval${byWhom(words)} no longer counts: ` +
    `when the verifiers have run again, review the commit, then ${approveAgain(state, state.head)}.`
  );
}

function byWhom({ approvers = [] }: { readonly approvers?: readonly string[] }): string {
  return approvers.length === 0 ? '' : ` by ${approvers.map(mention).join(' and ')}`;
}

/** Every command, from its own specification; those available now are marked. */
export function helpText(state: State): string {
  const possible = possibleIn(state);
  const rows = commandNames.map((name) => {
    const { usage, summary } = commandSpecs[name];
    const needs = plain(requirementOf(name, rulesOf(state)));
    const now = possible.includes(name) ? 'yes' : '';
    return `| ${codeInCell(usage)} | ${summary.replaceAll('|', '\\|')} | ${needs} | ${now} |`;
  });
  return [
    `The run is ${code(shownPhase(state))}. Start a line of a comment with a command; ` +
      `${code('/coxswain approve')} is the same as ${code('/approve')}.`,
    ['| command | what it does | requires | available now |', '|---|---|---|---|', ...rows].join('\n'),
  ].join('\n\n');
}
