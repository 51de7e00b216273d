import { form, type Html, html, person, time, type Value } from '../html.ts';
import { linksIn } from '../links.ts';
import { markdown } from '../text/markdown.ts';
import { kept, type RepositoryVisit } from '../visit.ts';

/** Something that somebody wrote. */
export interface Written {
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
  /** The last line, with what can be done. */
  foot?: Value;
}

export function card(visit: RepositoryVisit, written: Written): Html {
  const { id, author_id, at, body, isEdited, verb, below, foot, none } = written;
  const text = markdown(body, linksIn(visit));
  const heading = typeof verb === 'string' ? verb : 'reviewed';
  return html`<article class="card" id="${id}"><div class="head">
<h2 class="hidden">${visit.context.store.account(author_id).login} ${heading}</h2>
${person(visit.context, author_id)} <span class="muted">${verb} <a href="#${id}">${time(at)}</a>${isEdited && ' · edited'}</span></div>
${(text.text !== '' || none !== undefined) && html`<div class="body markdown">${text.text === '' ? html`<p class="muted">${none}</p>` : text}</div>`}
${below}${foot && html`<div class="foot">${foot}</div>`}</article>`;
}

interface EditorOptions {
  does: string;
  /** Of a comment or review; absent for the text of the issue. */
  id?: number;
  body: string | null;
  /** Further buttons, such as one that deletes. */
  more?: Value;
}

/** A text box in which those who may change a text. */
export function editor(visit: RepositoryVisit, { does, id, body, more }: EditorOptions): Html {
  const isOwn = id === undefined || visit.refusal?.form.get('id') === String(id);
  const typed = isOwn ? kept(visit, does, 'body') : undefined;
  const content = html`<label>Text<textarea id="${does}-${id ?? 'text'}" name="body" rows="6">
${typed ?? body ?? ''}</textarea></label><div class="buttons"><button class="primary">Save</button></div>`;
  const fields: Record<string, number> = id === undefined ? {} : { id };
  return html`<details class="edit" id="${does}-${id ?? 'text'}-box"${typed !== undefined && html` open`}><summary>Edit</summary>
${form(visit, { does, fields, className: 'fields' }, content)}${more}</details>`;
}
