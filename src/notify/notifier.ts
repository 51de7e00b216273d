import type { NotifyTarget } from '../config/operator/targets.ts';
import { ownAddresses, publicAddresses } from '../network/proxy/dial.ts';
import { briefLine, briefLines } from './brief-lines.ts';
import type { Message, Notifier, Posting } from './message.ts';
import { post, type Way } from './post.ts';
import { slackAnswer, slackMessage, threadMessage } from './slack.ts';
import { teamsMessage } from './teams.ts';
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

/** Sends to the operator's targets. */
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
