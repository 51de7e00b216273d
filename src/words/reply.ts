import { approvalRules } from '../steering/approval/approval-needs.ts';
import { requirementOf } from '../steering/approval/authorization.ts';
import { commandNames, commandSpecs, type OwnReply, ownReplies } from '../steering/commands/index.ts';
import { possibleIn } from '../steering/phases/table.ts';
import { shownPhase } from '../steering/shapes/standing.ts';
import type { ReplyContent } from '../steering/state/pending-effect.ts';
import type { State } from '../steering/state/state.ts';
import { diffText, logsText } from './diff-and-logs.ts';
import { restoredText } from './own-faults.ts';
import { approveAgain, commit, compareLink } from './parts/common-phrases.ts';
import { leftQueueText } from './parts/merge-texts.ts';
import { askTasksText, dependencyClosedText, notSpawnedText } from './parts/resolution-texts.ts';
import { code, codeInCell, mention, plain } from './parts/sanitize.ts';
import { refusalText, wordingOf } from './refusals.ts';
import { type Sources, statusReply } from './status-text.ts';
import { whyText } from './why-text.ts';

/** The reply to a person, as Markdown. */
export async function replyText(words: ReplyContent, state: State, sources: Sources): Promise<string> {
  const { web } = sources;
  if (words.say === 'refused') return refusalText(words.refusal, { possible: words.possible, web });
  if (isOwn(words))
    return ownReplies[words.say](words, wordingOf({ possible: possibleIn(state), web }), state);
  switch (words.say) {
    case 'revoked':
      return revokedText(words, state, web);
    case 'retargeted':
      return retargetedText(words, state);
    case 'finish_refused':
      return finishRefusedText(words, state);
    case 'left_queue':
      return leftQueueText(words);
    case 'restored':
      return restoredText(words.lost, state);
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
      return whyText(state, web, await sources.flakyBefore?.());
    case 'help':
      return helpText(state);
    case 'diff':
      return diffText(words, state, sources);
    case 'logs':
      return logsText(words, state, sources);
  }
}

function isOwn(words: ReplyContent): words is OwnReply {
  return words.say in ownReplies;
}

const verifiedAgain = 'the verifiers have run again';

function revokedText(words: Extract<ReplyContent, { say: 'revoked' }>, state: State, web: string): string {
  const { approved, head, by } = words;
  const changed = `[what has changed](${compareLink(web, approved, head)})`;
  return (
    `The approval of ${commit(approved)}${byWhom(words)} no longer counts because ${plain(by)} pushed ${commit(head)}. ` +
    `When ${verifiedAgain}, review ${changed}, then ${approveAgain(state, head)}.`
  );
}

function retargetedText(words: Extract<ReplyContent, { say: 'retargeted' }>, state: State): string {
  const { from, base, by } = words;
  return (
    `The approval${byWhom(words)} no longer counts because ${plain(by)} changed the base from ${code(from)} to ${code(base)}. ` +
    `When ${verifiedAgain} for ${code(base)}, review it, then ${approveAgain(state, state.head)}.`
  );
}

function finishRefusedText(words: Extract<ReplyContent, { say: 'finish_refused' }>, state: State): string {
  return (
    `Not finished: ${words.reasons.map((reason) => plain(reason)).join('; ')}. ` +
    `The approval${byWhom(words)} no longer counts: ` +
    `when ${verifiedAgain}, review the commit, then ${approveAgain(state, state.head)}.`
  );
}

function byWhom({ approvers = [] }: { readonly approvers?: readonly string[] }): string {
  return approvers.length === 0 ? '' : ` by ${approvers.map(mention).join(' and ')}`;
}

/** Every command, from its own specification; those available now are marked. */
function helpText(state: State): string {
  const possible = possibleIn(state);
  const rows = commandNames.map((name) => {
    const { usage, summary } = commandSpecs[name];
    const needs = plain(requirementOf(name, approvalRules(state)));
    const now = possible.includes(name) ? 'yes' : '';
    return `| ${codeInCell(usage)} | ${summary.replaceAll('|', '\\|')} | ${needs} | ${now} |`;
  });
  return [
    `The run is ${code(shownPhase(state))}. Start a line of a comment with a command; ` +
      `${code('/coxswain approve')} is the same as ${code('/approve')}.`,
    ['| command | what it does | requires | available now |', '|---|---|---|---|', ...rows].join('\n'),
  ].join('\n\n');
}
