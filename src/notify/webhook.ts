import { Webhook } from 'standardwebhooks';
import { shortened, visible } from '../text/characters.ts';
import type { Message, Posting } from './target-message.ts';

/** The specification recommends no larger message. */
const maxBytes = 20_000;

/** Of each text only so many characters are sent, and of each list so many entries. */
interface Cut {
  readonly text: number;
  readonly list: number;
}

/** What is sent where the rest would not fit. */
const shorter: readonly Cut[] = [
  { text: 300, list: 50 },
  { text: 60, list: 50 },
  { text: 60, list: 10 },
  { text: 60, list: 0 },
];

/**
 * A message by the Standard Webhooks specification, signed for this try. See
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md.
 */
export function webhookPosting(
  target: { readonly url: string; readonly secret: string },
  message: Message,
): Posting {
  const { url, secret } = target;
  const now = new Date();
  let body = bodyOf(message, { text: 2_000, list: 50 });
  for (const cut of shorter) if (Buffer.byteLength(body) > maxBytes) body = bodyOf(message, cut);
  return {
    ...{ url, body },
    headers: {
      'webhook-id': message.id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign(message.id, now, body),
    },
  };
}

function bodyOf({ announcement, title, lines, url }: Message, cut: Cut): string {
  const { event: type, time: timestamp } = announcement;
  const { request, interrupt } = { request: undefined, interrupt: undefined, ...announcement };
  const data = {
    ...announcement,
    ...(request && { request: cutTexts(request, cut) }),
    ...(interrupt && { interrupt: cutTexts(interrupt, cut) }),
    ...{ title, text: shortened(lines.join('\n'), 6 * cut.text), url },
  };
  return JSON.stringify({ type, timestamp, data });
}

/** Leaves each text as a reader sees it, and of it and of each list only the beginning. */
function cutTexts(value: unknown, cut: Cut): unknown {
  if (typeof value === 'string') return shortened(visible(value), cut.text);
  if (Array.isArray(value)) return value.slice(0, cut.list).map((each) => cutTexts(each, cut));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, cutTexts(each, cut)]));
}
