import { elementId, type Html, html } from '../../html/html.ts';
import { shortSha } from '../../steering/phrases/phrases.ts';
import { counted } from '../../text/amounts.ts';
import { isSamePlace, type LinePlace, placeField, type Remark, remarkName } from '../diff/remarks.ts';
import { shaCode } from './components.ts';

/** What is written about lines of the changes, and not posted yet. */
export interface WrittenRemarks {
  readonly remarks: readonly Remark[];
  /** Those whose lines are not shown. */
  readonly elsewhere: readonly Remark[];
  /** The line that was chosen now, whose box gets the focus. */
  readonly on: LinePlace | undefined;
  /** Why there is no box on that line; false if there is. */
  readonly problem: string | false;
  /** The head of the run. */
  readonly head: string;
}

/** What became of the remarks so far, and those whose lines are not shown here. */
export function remarkNotes(written: WrittenRemarks): Html | false {
  const { remarks, elsewhere, problem, head } = written;
  if (remarks.length === 0) return problem !== false && html`<p class="notice" role="alert">${problem}</p>`;
  const replaced = remarks.filter(({ place }) => place.head !== head);
  const isUrgent = replaced.length > 0 || problem !== false;
  const kept = elsewhere.map((remark) => html`<li>${remarkBox(remark, written, { withQuote: true })}</li>`);
  return html`<div class="notice"${isUrgent && html` role="alert"`}>
${problem && html`<p>${problem}</p>`}
${replaced.length > 0 && html`<p>${replacedText(replaced, head)}</p>`}
<p>${counted(remarks.length, 'remark')} so far, and nothing is posted yet: choose the number of another line, or steer with what is written.</p></div>
${kept.length > 0 && html`<ul class="remarks">${kept}</ul>`}`;
}

function replacedText(replaced: readonly Remark[], head: string): string {
  const commits = [...new Set(replaced.map(({ place }) => shortSha(place.head)))].join(', ');
  const [which, are] = replaced.length === 1 ? ['A remark', 'is'] : [`${replaced.length} remarks`, 'are'];
  return `${which} below ${are} about ${commits}, which ${shortSha(head)} has replaced since. Look at the new changes, then post or remove what you wrote.`;
}

/** Where a remark is written. Its label names the line, because it is not below it everywhere. */
export function remarkBox(
  { place, quote, text }: Remark,
  { remarks, on, head }: WrittenRemarks,
  { withQuote = false } = {},
): Html {
  const field = placeField(place);
  const id = elementId(`remark-${field}`);
  const commit = place.head !== head && html` at ${shaCode(place.head)}`;
  const what = remarks.length === 1 ? 'this remark' : counted(remarks.length, 'remark');
  return html`<div class="remark-box">
<input type="hidden" name="at" value="${field}"><input type="hidden" name="quote" value="${quote}">
<label for="${id}">${remarkName(place)}${commit}</label>
${withQuote && html`<pre tabindex="0" aria-label="What it is about">${quote}</pre>`}
<textarea id="${id}" name="remark" rows="3"${isSamePlace(place, on) && html` autofocus`}>${text}</textarea>
<div class="buttons"><button class="primary">Steer with ${what}</button>
<button name="drop" value="${field}" aria-label="Remove: ${remarkName(place)}">Remove</button></div></div>`;
}
