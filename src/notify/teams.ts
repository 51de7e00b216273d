import type { Message } from './message.ts';

/** Microsoft's bound of a message, in bytes. */
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
