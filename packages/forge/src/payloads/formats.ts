import { signedUrl } from '../attachments.ts';
import type { Context } from '../context.ts';
import type { Json } from '../model.ts';

/**
 * A text in the formats that a request asks for by its media type: `full` and `html` add it as HTML. Of
 * Markdown there are only paragraphs, code and images, whose addresses are signed as GitHub signs them.
 */
export function formatsOf(context: Context, accept: string, body: string | null): Json {
  if (!/\.(?:full|html)\b/.test(accept)) return {};
  return {
    body_html: htmlOf(context, body ?? ''),
    ...(accept.includes('.full') && { body_text: body ?? '' }),
  };
}

function htmlOf(context: Context, markdown: string): string {
  const parts = markdown.split(/(```[\s\S]*?(?:```|$)|`[^`\n]*`)/);
  const html = parts.map((part, index) => (index % 2 === 1 ? codeOf(part) : withImages(context, part)));
  return `<p dir="auto">${html.join('')}</p>`;
}

function codeOf(part: string): string {
  const text = escaped(part.replace(/^`+|`+$/g, ''));
  return part.startsWith('```')
    ? `<pre><code>${text}</code></pre>`
    : `<code class="notranslate">${text}</code>`;
}

const image = /!\[([^\]\n]*)\]\(([^()\s]+)\)|<img\b([^>]*)>/g;

function withImages(context: Context, text: string): string {
  let at = 0;
  let html = '';
  for (const found of text.matchAll(image)) {
    const [whole, markdownAlt, markdownUrl, attributes = ''] = found;
    const url = markdownUrl ?? attributeIn(attributes, 'src');
    const alt = markdownAlt ?? attributeIn(attributes, 'alt');
    html += escaped(text.slice(at, found.index)) + imageTag(signedUrl(context, url) ?? url, alt);
    at = found.index + whole.length;
  }
  return html + escaped(text.slice(at));
}

function imageTag(url: string, alt: string): string {
  const address = escaped(url);
  const tag = `<img src="${address}" alt="${escaped(alt)}" style="max-width: 100%;">`;
  return `<a target="_blank" rel="noopener noreferrer" href="${address}">${tag}</a>`;
}

function attributeIn(attributes: string, name: string): string {
  return new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1] ?? '';
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
