import type { NotifyTarget } from '../config/operator/targets.ts';
import { ownAddresses, publicAddresses } from '../network/proxy/dial.ts';
import { shortened, visible, withoutInvisible } from '../text/characters.ts';
import { slackAnswer, slackMessage, teamsMessage, threadMessage } from './chat-messages.ts';
import { post, type Way } from './post-once.ts';
import type { Message, Notifier, Posting } from './target-message.ts';
import { webhookPosting } from './webhook.ts';

interface Usual extends Way {
  /** Where messages with a channel go. */
  readonly slack: string;
}

const usual: Usual = {
  resolve: (host, isPrivate) => (isPrivate ? ownAddresses : publicAddresses)(host),
  slack: 'https://slack.com/api/chat.postMessage',
  withinMs: 5_000,
};

/** Makes what sends to the operator's targets. */
export function notifierOf(targets: readonly NotifyTarget[], given: Partial<Usual> = {}): Notifier {
  const way = { ...usual, ...given };
  return {
    names: targets.map(({ name }) => name),
    send: async (name, { title, lines, ...rest }, signal) => {
      const target = targets.find((each) => each.name === name);
      if (target === undefined)
        return { outcome: 'refused', reason: 'the operator has no such target', forGood: true };
      const message = { ...rest, title: briefLine(title), lines: briefLines(lines) };
      const posted = await post(postingFor(target, message, way), {
        ...way,
        private: target.private,
        signal,
      });
      if ('outcome' in posted) return posted;
      return 'channel' in target ? slackAnswer(posted.answer, message.thread) : { outcome: 'accepted' };
    },
  };
}

function postingFor(target: NotifyTarget, message: Message, { slack }: Usual): Posting {
  if ('channel' in target)
    return {
      url: slack,
      headers: { authorization: `Bearer ${target.token}` },
      body: JSON.stringify(threadMessage(message, target.channel)),
    };
  switch (target.to) {
    case 'slack':
      return { url: target.url, body: JSON.stringify(slackMessage(message)) };
    case 'teams':
      return { url: target.url, body: teamsMessage(message) };
    case 'webhook':
      return webhookPosting(target, message);
  }
}

const maxLines = 40;
const maxLength = 300;

/** Keeps at most 40 lines of at most 300 characters that a reader sees, none of them empty. */
export function briefLines(texts: readonly string[]): readonly string[] {
  const lines = texts
    .flatMap((text) => visible(text).split('\n').map(briefLine))
    .filter((line) => line !== '');
  if (lines.length <= maxLines) return lines;
  return [...lines.slice(0, maxLines - 1), `and ${lines.length - maxLines + 1} more lines`];
}

/** A text on one line, which may begin with spaces. */
export function briefLine(text: string): string {
  return shortened(withoutInvisible(visible(text)).replace(/\s/g, ' ').trimEnd(), maxLength);
}
