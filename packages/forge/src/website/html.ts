/** Text that is already HTML: the result of `html`, or declared safe by `trusted`. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Value = Html | string | number | undefined | null | false | readonly Value[];

/** HTML with every value escaped, for text and quoted attributes; undefined, null and false are left out. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(strings.map((string, index) => string + escaped(values[index])).join(''));
}

/** Declares text safe that a renderer has escaped itself. */
export function trusted(text: string): Html {
  return new Html(text);
}

/** The values with something between them. */
export function joined(values: readonly Value[], between: Value): Value {
  return values.flatMap((value, index) => (index === 0 ? [value] : [between, value]));
}

function escaped(value: Value): string {
  if (value instanceof Html) return value.text;
  if (value === undefined || value === null || value === false) return '';
  if (typeof value === 'string') return value.replace(unsafe, (character) => entities[character] ?? '');
  return typeof value === 'number' ? String(value) : value.map(escaped).join('');
}

/** With what deceives readers: text direction marks, and control characters but line ends and tabs. */
const unsafe = /[&<>"'\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|[^\P{Cc}\n\r\t]/gu;

/** Whatever is not here is left out. */
const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
