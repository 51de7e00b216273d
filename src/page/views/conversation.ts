import { type Html, html } from '../html.ts';
import type { Comment, Conversation } from '../load/conversation.ts';
import { markdown } from '../markdown.ts';
import { badge, external, time } from './components.ts';

/** What was said, oldest first, with the text that opened the thread. */
export function conversation(opening: Opening, said: Conversation): Html {
  return html`<div class="thread">${openingArticle(opening)}
${said.earlier > 0 && earlierNote(opening, said)}
${said.comments.map(article)}</div>`;
}

function earlierNote({ url }: Opening, { earlier }: Conversation): Html {
  return html`<p class="missing">${earlier} older comments are on ${external(url, 'GitHub')}.</p>`;
}

export interface Opening {
  readonly author: string;
  readonly at: string;
  readonly body: string;
  readonly url: string;
}

function openingArticle({ author, at, body, url }: Opening): Html {
  const comment = { id: 'opening', author, bot: false, body, at, edited: false, url, verdict: null };
  return article(comment);
}

function article({ id, author, bot, body, at, edited, url, verdict }: Comment): Html {
  const isCommand = /^\s*\/\w/.test(body);
  return html`<article class="comment${isCommand && ' command'}" id="${id}">
<header><b>${author}</b> ${bot && badge('bot')} ${verdict !== null && badge(verdict)}
<span class="quiet">${external(url, time(at))}${edited && ' · edited'}</span></header>
<div class="prose">${body.trim() === '' ? html`<p class="quiet">No text.</p>` : markdown(body)}</div>
</article>`;
}
