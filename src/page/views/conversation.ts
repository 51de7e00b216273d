import { type Html, html } from '../../html/html.ts';
import { markdown } from '../../html/markdown.ts';
import { time } from '../../html/time.ts';
import type { Comment, Conversation } from '../load/conversation.ts';
import { badge, externalLink } from './components.ts';

/** The opening post, then comments and reviews, oldest first. */
export function conversation(opening: OpeningPost, model: Conversation): Html {
  return html`${openingArticle(opening)}
${model.older > 0 && olderNote(opening, model)}
${model.comments.map(article)}`;
}

function olderNote({ url }: OpeningPost, { older }: Conversation): Html {
  return html`<p class="missing">${older} older comments are on ${externalLink(url, 'GitHub')}.</p>`;
}

interface OpeningPost {
  readonly author: string;
  readonly at: string;
  readonly body: string;
  readonly url: string;
}

function openingArticle({ author, at, body, url }: OpeningPost): Html {
  const comment = { id: 'opening', author, bot: false, body, at, edited: false, url, verdict: null };
  return article(comment);
}

function article({ id, author, bot, body, at, edited, url, verdict }: Comment): Html {
  const isCommand = /^\s*\/\w/.test(body);
  return html`<article class="comment${isCommand && ' command'}" id="${id}">
<header><b>${author}</b> ${bot && badge('bot')} ${verdict !== null && badge(verdict)}
<span class="muted">${externalLink(url, time(at))}${edited && ' · edited'}</span></header>
<div class="prose">${body.trim() === '' ? html`<p class="muted">No text.</p>` : markdown(body)}</div>
</article>`;
}
