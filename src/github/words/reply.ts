import type { ReplyContent } from '../../steering/pending-effect.ts';
import type { State } from '../../steering/state.ts';
import { diffText, logsText } from './diff-and-logs.ts';
import { helpText } from './help.ts';
import { commit, compareLink } from './links.ts';
import { restoredText } from './lost-ledger.ts';
import { command } from './phrases.ts';
import { refusalText } from './refusals.ts';
import { code, plain } from './sanitize.ts';
import type { Sources } from './sources.ts';
import { statusReply } from './status.ts';
import { whyText } from './why.ts';

/** The reply to a person, as Markdown. */
export async function replyText(words: ReplyContent, state: State, sources: Sources): Promise<string> {
  switch (words.say) {
    case 'refused':
      return refusalText(words.refusal, { possible: words.possible, web: sources.web });
    case 'queued':
      return (
        `Queued as steer ${words.place}. ` +
        'All queued steers together become the next iteration, in order, when the current work ends.'
      );
    case 'withdrawn':
      return `Queued steer ${words.place} was withdrawn because its comment no longer contains it.`;
    case 'changed':
      return `Queued steer ${words.place} was updated to match its comment.`;
    case 'unchanged':
      return `Queued steer ${words.place} stays as its author wrote it; only the author can change it.`;
    case 'revoked':
      return revokedText(words, sources.web);
    case 'retargeted':
      return retargetedText(words);
    case 'finish_refused':
      return finishRefusedText(words);
    case 'restored':
      return restoredText(words.lost, state);
    case 'counted':
      return `Approval ${words.have} of ${words.need} recorded. Still needed: ${words.need - words.have}.`;
    case 'status':
      return statusReply(state, sources.web);
    case 'why':
      return whyText(state);
    case 'help':
      return helpText(state);
    case 'diff':
      return diffText(words, state, sources);
    case 'logs':
      return logsText(words, state, sources);
  }
}

function revokedText({ approved, head, by }: Extract<ReplyContent, { say: 'revoked' }>, web: string): string {
  const changed = `[what has changed](${compareLink(web, approved, head)})`;
  return (
    `The approval of ${commit(approved)} no longer counts because ${plain(by)} pushed ${commit(head)}. ` +
    `When the verifiers have run again, review ${changed} and ${command('approve')} again.`
  );
}

function retargetedText({ from, base, by }: Extract<ReplyContent, { say: 'retargeted' }>): string {
  return (
    `The approval no longer counts because ${plain(by)} changed the base from ${code(from)} to ${code(base)}. ` +
    `When the verifiers have run again for ${code(base)}, ${command('approve')} again.`
  );
}

function finishRefusedText({ reasons }: Extract<ReplyContent, { say: 'finish_refused' }>): string {
  return (
    `Not finished: ${reasons.map((reason) => plain(reason)).join('; ')}. ` +
    `The head is being verified again and then needs a new ${command('approve')}.`
  );
}
