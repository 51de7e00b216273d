import { control } from '../text/characters.ts';

/** Text that is already HTML: the result of `html`, or declared safe by `trusted`. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Value = Html | string | number | undefined | null | false | readonly Value[];

/**
 * HTML with every value escaped, for text and quoted attributes, and without what deceives readers;
 * `undefined`, `null` and `false` are left out.
 */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(strings.map((string, index) => string + escaped(values[index])).join(''));
}

/** Turns any text into an element's id, which may contain anything but white space. */
export function elementId(text: string): string {
  return text.replace(/[\s%]/g, (character) => encodeURIComponent(character));
}

/** Declares text safe that a renderer has escaped itself. */
export function trusted(text: string): Html {
  return new Html(text);
}

function escaped(value: Value): string {
  if (value instanceof Html) return value.text;
  if (value === undefined || value === null || value === false) return '';
  if (typeof value === 'string') return value.replace(control, '').replace(/[&<>"']/g, entityOf);
  return typeof value === 'number' ? String(value) : value.map(escaped).join('');
}

function entityOf(character: string): string {
  return entities[character] ?? '';
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Shows a point in time, which the page's script replaces with its age. */
export function time(at: string): Html {
  return html`<time datetime="${at}">${dateText(at)}</time>`;
}

/** A point in time that is waited for; the page's script shows how long it still is, to the second. */
export function countdown(at: string): Html {
  return html`<time datetime="${at}" data-countdown>${dateText(at)}</time>`;
}

/** `21 Nov 2025, 22:25 UTC`; text that is not a date is left unchanged. */
export function dateText(at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return at;
  const [, day = '', month = '', year = '', clock = ''] = date.toUTCString().split(' ');
  return `${Number(day)} ${month} ${year}, ${clock.slice(0, 5)} UTC`;
}
