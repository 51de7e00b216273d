import { Webhook } from 'standardwebhooks';
import type { NotifyTarget } from '../config/operator/targets.ts';
import { ownAddresses, publicAddresses } from '../network/proxy/dial.ts';
import { beginningOf, shortened, visible, withoutInvisible } from '../text/characters.ts';
import { post, type Way } from './post-once.ts';
import type { Message, Notifier, Posting, Sent } from './target-message.ts';

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

/** Slack's bound of a header, in characters; of other texts it is 3,000. */
const maxHeader = 150;

/**
 * What Slack is sent: others have written parts of every text, so each is plain, and the one link is ours.
 * See https://docs.slack.dev/messaging/formatting-message-text.
 */
function slackMessage({ title, lines, url }: Message) {
  return {
    text: escaped(title),
    blocks: [
      { type: 'header', text: plainText(cutEscaped(title, maxHeader)) },
      ...sections(lines).map((text) => ({ type: 'section', text: plainText(text) })),
      {
        type: 'section',
        text: { type: 'mrkdwn', text: `<${escaped(url)}|Open on GitHub>`, verbatim: true },
      },
    ],
    ...{ mrkdwn: false, parse: 'none', link_names: false, unfurl_links: false, unfurl_media: false },
  };
}

/** Puts it into the thread of the run; what waits for people is shown in the channel, too. */
function threadMessage(message: Message, channel: string) {
  const { thread, announcement } = message;
  const waits = 'request' in announcement;
  return {
    ...{ channel, ...slackMessage(message) },
    ...(thread !== undefined && { thread_ts: thread, ...(waits && { reply_broadcast: true }) }),
  };
}

/** What Slack's API says of a message. It answers 200 to what it refuses, too. */
function slackAnswer(text: string, thread: string | undefined): Sent {
  const { ok, ts, error } = fieldsOf(text);
  const isPlace = typeof ts === 'string' && /^\d{1,20}\.\d{1,20}$/.test(ts);
  if (ok === true) return { outcome: 'accepted', ...(isPlace && { thread: thread ?? ts }) };
  const isKnown = typeof error === 'string' && /^[a-z_]{1,60}$/.test(error);
  const reason = isKnown ? `Slack refuses it: ${error}` : 'Slack gave an answer that cannot be read';
  return { outcome: 'refused', reason, forGood: false };
}

function fieldsOf(text: string): { readonly ok?: unknown; readonly ts?: unknown; readonly error?: unknown } {
  try {
    // Of whatever it is, only these fields are looked at, and each as a value that is not known.
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

function plainText(text: string) {
  return { type: 'plain_text', text, emoji: false };
}

/** Lines in as few texts as their bound allows: none of them is longer than half of it. */
function sections(lines: readonly string[]): readonly string[] {
  const texts =
    lines
      .map(escaped)
      .join('\n')
      .match(/[\s\S]{1,2999}(?:\n|$)/g) ?? [];
  return texts.map((text) => text.trimEnd());
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Cuts a text so that no part of an entity stands at its end. */
function cutEscaped(text: string, max: number): string {
  return beginningOf(escaped(text), max).replace(/&[a-z]*$/, '');
}

/** Microsoft takes no larger message, in bytes. */
const maxCardBytes = 28_000;

/**
 * An adaptive card, as a workflow of Teams posts it. Only a run of text is never read as Markdown, so that is
 * where everything is that others may have written.
 */
function teamsMessage(message: Message): string {
  const { title, lines, url } = message;
  const card = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    ...{ type: 'AdaptiveCard', version: '1.4', msteams: { width: 'Full' } },
    body: [paragraph(title, { weight: 'Bolder', size: 'Medium' }), ...lines.map((line) => paragraph(line))],
    actions: [{ type: 'Action.OpenUrl', title: 'Open on GitHub', url }],
  };
  const contentType = 'application/vnd.microsoft.card.adaptive';
  const text = JSON.stringify({ type: 'message', attachments: [{ contentType, content: card }] });
  if (Buffer.byteLength(text) <= maxCardBytes) return text;
  return teamsMessage({ ...message, lines: [...lines.slice(0, -2), '…'] });
}

function paragraph(text: string, style?: { readonly weight: string; readonly size: string }) {
  return { type: 'RichTextBlock', spacing: 'Small', inlines: [{ type: 'TextRun', text, ...style }] };
}

/** The specification recommends no larger message. */
const maxWebhookBytes = 20_000;

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
  for (const cut of shorter) if (Buffer.byteLength(body) > maxWebhookBytes) body = bodyOf(message, cut);
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
