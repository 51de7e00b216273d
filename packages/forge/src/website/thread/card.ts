import { type Html, html, person, time, type Value } from '../html.ts';
import { markdown } from '../text/markdown.ts';
import type { RepositoryVisit } from '../visit.ts';

/** Something that somebody wrote. */
interface Written {
  /** The anchor to which addresses lead. */
  id: string;
  author_id: number;
  at: string;
  body: string | null;
  isEdited: boolean;
  /** Such as `commented`. */
  verb: Value;
  /** What is shown instead of an empty text. */
  none?: string;
  /** Below the text, such as comments on lines. */
  below?: Value;
}

export function card(visit: RepositoryVisit, written: Written): Html {
  const { id, author_id, at, body, isEdited, verb, below, none } = written;
  const text = markdown(body, visit);
  const heading = typeof verb === 'string' ? verb : 'reviewed';
  return html`<article class="card" id="${id}"><div class="head">
<h2 class="hidden">${visit.context.store.account(author_id).login} ${heading}</h2>
${person(visit.context, author_id)} <span class="muted">${verb} <a href="#${id}">${time(at)}</a>${isEdited && ' · edited'}</span></div>
${(text.text !== '' || none !== undefined) && html`<div class="body markdown">${text.text === '' ? html`<p class="muted">${none}</p>` : text}</div>`}
${below}</article>`;
}
