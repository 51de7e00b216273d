import { beginningOf } from '../text/characters.ts';
import type { Message, Sent } from './target-message.ts';

/** Slack's bound of a header, in characters; of other texts it is 3,000. */
const maxHeader = 150;

/**
 * What Slack is sent: others have written parts of every text, so each is plain, and the one link is ours.
 * See https://docs.slack.dev/messaging/formatting-message-text.
 */
export function slackMessage({ title, lines, url }: Message) {
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
export function threadMessage(message: Message, channel: string) {
  const { thread, announcement } = message;
  const waits = 'request' in announcement;
  return {
    ...{ channel, ...slackMessage(message) },
    ...(thread !== undefined && { thread_ts: thread, ...(waits && { reply_broadcast: true }) }),
  };
}

/** What Slack's API says of a message. It answers 200 to what it refuses, too. */
export function slackAnswer(text: string, thread: string | undefined): Sent {
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
const maxBytes = 28_000;

/**
 * An adaptive card, as a workflow of Teams posts it. Only a run of text is never read as Markdown, so that is
 * where everything is that others may have written.
 */
export function teamsMessage(message: Message): string {
  const { title, lines, url } = message;
  const card = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    ...{ type: 'AdaptiveCard', version: '1.4', msteams: { width: 'Full' } },
    body: [paragraph(title, { weight: 'Bolder', size: 'Medium' }), ...lines.map((line) => paragraph(line))],
    actions: [{ type: 'Action.OpenUrl', title: 'Open on GitHub', url }],
  };
  const contentType = 'application/vnd.microsoft.card.adaptive';
  const text = JSON.stringify({ type: 'message', attachments: [{ contentType, content: card }] });
  if (Buffer.byteLength(text) <= maxBytes) return text;
  return teamsMessage({ ...message, lines: [...lines.slice(0, -2), '…'] });
}

function paragraph(text: string, style?: { readonly weight: string; readonly size: string }) {
  return { type: 'RichTextBlock', spacing: 'Small', inlines: [{ type: 'TextRun', text, ...style }] };
}
