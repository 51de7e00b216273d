import type { Words } from '../../steering/pending-effect.ts';
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

/** What is said to a person, as Markdown: all of it is written here and in the files beside this one. */
export async function replyText(words: Words, state: State, sources: Sources): Promise<string> {
  switch (words.say) {
    case 'refused':
      return refusalText(words.refusal, { possible: words.possible, web: sources.web });
    case 'queued':
      return (
        `Queued as ${words.place}. ` +
        'What is queued becomes the next iteration, together and in order, when the work under way has ended.'
      );
    case 'withdrawn':
      return `Steer ${words.place} in the queue is withdrawn: its comment no longer says it.`;
    case 'changed':
      return `Steer ${words.place} in the queue is changed to what its comment says now.`;
    case 'unchanged':
      return `Steer ${words.place} in the queue stays as its author wrote it: only they can change it.`;
    case 'revoked':
      return revokedText(words, sources.web);
    case 'finish_refused':
      return finishRefusedText(words);
    case 'restored':
      return restoredText(words.lost, state);
    case 'counted':
      return `Approved, ${words.have} of ${words.need}. Still missing: ${words.need - words.have}.`;
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

function revokedText({ approved, head, by }: Extract<Words, { say: 'revoked' }>, web: string): string {
  const changed = `[what has changed](${compareLink(web, approved, head)})`;
  return (
    `The approval of ${commit(approved)} no longer counts: ${plain(by)} pushed ${commit(head)}. ` +
    `It is verified anew; read ${changed}, then say ${command('approve')} again when it is on show.`
  );
}

function finishRefusedText({ reasons }: Extract<Words, { say: 'finish_refused' }>): string {
  return (
    `Not finished: ${reasons.map((reason) => plain(reason)).join('; ')}. ` +
    `The head is verified once more, then it waits for ${code('/approve')} again.`
  );
}
