import { type Html, html, time, trusted, type Value } from '../../html/html.ts';
import { markdown } from '../../html/markdown.ts';
import { shortSha } from '../../steering/phrases/phrases.ts';
import type { Severity } from '../../steering/shapes/gate-rules.ts';
import type { Band } from '../../steering/shapes/score.ts';
import type { Phase } from '../../steering/shapes/standing.ts';
import { counted } from '../../text/amounts.ts';
import { visible } from '../../text/characters.ts';
import { scoreText } from '../../words/index.ts';
import { phaseWords } from '../../words/phases/index.ts';
import type { Tone } from '../../words/phases/row.ts';
import type { Loaded } from '../load/github-reader.ts';
import type { Comment, Conversation } from '../load/load-conversation.ts';
import { type IssueRoute, pathOf } from '../load/page-routes.ts';

/** A section with a heading that links can point to. */
export function section(id: string, title: string, ...content: readonly Value[]): Html {
  return html`<section class="card" id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
${content}
</section>`;
}

/** Renders what could be loaded; otherwise says why it is missing. */
export function whenLoaded<T>(model: Loaded<T>, render: (value: T) => Value): Html {
  if ('missing' in model) return html`<p class="missing">${model.missing}</p>`;
  return html`${render(model.value)}`;
}

/**
 * A disclosure widget, open or closed when it is first shown; by its id, the page's script keeps it as it is
 * across refreshes.
 */
export function details(
  { id, summary, open }: { readonly id: string; readonly summary: Value; readonly open?: boolean },
  content: Value,
): Html {
  return html`<details id="${id}"${open && html` open`}><summary>${summary}</summary>
<div class="details-body">${content}</div>
</details>`;
}

export function shaCode(commit: string): Html {
  return html`<code class="sha">${shortSha(commit)}</code>`;
}

/** The risk, and what another agent finds grave, stand beside the confidence. */
export function trustBadges(score: number, band: Band, trust: Trust): Html {
  return html`${bandBadge(score, band, trust)} ${riskBadges(trust)}`;
}

/** The risk of a commit, as its gates say, and what another agent finds grave; the confidence has no part. */
export function riskBadges({ risk, grave }: Trust): Html {
  return html`${risk !== null && badge(`risk: ${risk}`, riskTones[risk])}${
    grave > 0 && html` ${badge(counted(grave, 'grave concern'), 'danger')}`
  }`;
}

/** What people should know beside a score, which says nothing of it. */
interface Trust {
  /** Null if it is not known here. */
  readonly risk: Severity | null;
  /** How many open concerns of the second opinion are grave. */
  readonly grave: number;
}

/** `0.87 high`; a high confidence is good news only beside a risk and concerns known not to be grave. */
export function bandBadge(score: number, band: Band, { risk, grave }: Trust): Html {
  const isSevere = risk === null || risk === 'high' || risk === 'critical' || grave > 0;
  const tone = band === 'high' && isSevere ? 'tone-neutral' : `band-${band}`;
  return html`<span class="badge ${tone}"><b>${scoreText(score)}</b> ${band}</span>`;
}

const riskTones: { readonly [S in Severity]: Tone } = {
  low: 'neutral',
  medium: 'warning',
  high: 'danger',
  critical: 'danger',
};

export function badge(text: string, tone: Tone = 'neutral'): Html {
  return html`<span class="badge tone-${tone}">${text}</span>`;
}

/**
 * Markdown, of our words or of somebody's, which the renderer makes harmless. Where a place is given, `#12` leads
 * to its page there: our words let no text of others say that.
 */
export function prose(text: string, place?: RepositoryPlace): Html | false {
  if (text === '') return false;
  const content = markdown(text);
  return html`<div class="prose">${place === undefined ? content : trusted(linked(content.text, place))}</div>`;
}

function linked(rendered: string, place: RepositoryPlace): string {
  return rendered.replace(references, (whole: string, _tag: unknown, number: string | undefined) =>
    number === undefined
      ? whole
      : `<a href="${pathOf({ ...place, page: 'issues', number: Number(number) })}">${whole}</a>`,
  );
}

/** Text in code or in another link is left alone, and so is an entity such as `&#39;`. */
const references = /<(code|pre|a)\b[\s\S]*?<\/\1>|(?<![&\w])#([1-9]\d{0,9})\b/g;

type RepositoryPlace = Pick<IssueRoute, 'owner' | 'repo'>;

/** An address on GitHub, as a link if it is one. */
export function externalLink(url: string | null, text: Value): Html {
  if (url === null || !/^https?:\/\//.test(url)) return html`${text}`;
  return html`<a href="${url}" rel="noreferrer">${text}</a>`;
}

/** Links the runs of these pull requests, each by its name. */
export function pullLinks(
  place: RepositoryPlace,
  made: readonly { readonly name: string; readonly number: number }[],
): Html {
  const links = made.map(({ name, number }, index) => {
    return html`${index > 0 && ', '}${pullLink(place, number)} (${visible(name)})`;
  });
  return html`${links}`;
}

export function pullLink(place: RepositoryPlace, number: number): Html {
  return html`<a href="${pathOf({ ...place, page: 'pull', number })}">#${number}</a>`;
}

/** A table that scrolls by itself on a narrow screen, and can be reached by keyboard. */
export function table(caption: string, heads: readonly string[], rows: readonly Html[]): Html {
  return html`<div class="scroll" role="group" aria-label="${caption}" tabindex="0"><table>
<caption class="muted">${caption}</caption>
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows}</tbody>
</table></div>`;
}

/** A phase that was read from a pull request's body may be unknown. */
export function phaseBadge(phase: Phase): Html {
  return html`<span class="badge phase tone-${phaseWords[phase]?.tone ?? 'neutral'}">${phase.replaceAll('_', ' ')}</span>`;
}

/** Shows the opening post, then comments and reviews, oldest first. */
export function conversation(opening: OpeningPost, model: Conversation): Html {
  return html`${openingArticle(opening)}
${model.older > 0 && olderNote(opening, model)}
${model.comments.map(article)}`;
}

function olderNote({ url }: OpeningPost, { older }: Conversation): Html {
  return html`<p class="missing">${older} older comments are on ${externalLink(url, 'GitHub')}.</p>`;
}

type OpeningPost = Pick<Comment, 'author' | 'at' | 'body' | 'url'>;

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
