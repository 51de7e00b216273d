import { type Severity, severities } from '../../steering/shapes/gate-rules.ts';
import type { Band } from '../../steering/shapes/score.ts';
import type { InteractionKind } from '../../steering/shapes/standing.ts';

/** Which runs of the inbox somebody looks at, as its address says. */
export interface InboxQuery {
  /** Only what waits for them, or what waits for anyone. */
  readonly for: 'me' | 'anyone';
  readonly kind?: InteractionKind;
  readonly risk?: Severity;
  readonly band?: Band;
  /** `owner/name` */
  readonly repo?: string;
  /** A part of the title. */
  readonly q?: string;
  /** Where the page begins, as the page before it says. */
  readonly cursor?: string;
}

/** What the filters offer, in the order in which they are shown. */
export const filters = {
  for: ['me', 'anyone'],
  kind: ['approval', 'stage', 'permission', 'question', 'interrupt'],
  risk: severities,
  band: ['high', 'medium', 'low', 'zero'],
} as const satisfies { readonly [K in keyof InboxQuery]?: readonly string[] };

const texts = { repo: /^[\w-]{1,100}\/[\w.-]{1,100}$/, q: /^.{1,100}$/s, cursor: /^[\w-]{1,200}$/ } as const;

/**
 * Reads the query of an address. What it does not know is left out; `wrong` names the filters that have a
 * value which does not exist.
 */
export function inboxQuery(from: URLSearchParams): {
  readonly query: InboxQuery;
  readonly wrong: readonly string[];
} {
  const known = Object.entries({ ...filters, ...texts });
  const given = known.flatMap(([name, form]) => {
    const value = from.get(name)?.trim() ?? '';
    return value === '' ? [] : [{ name, value, isRight: fits(form, value) }];
  });
  const right = given.filter(({ isRight }) => isRight).map(({ name, value }) => [name, value]);
  return {
    query: { for: 'me', ...Object.fromEntries(right) },
    wrong: given.filter(({ isRight }) => !isRight).map(({ name }) => name),
  };
}

function fits(form: RegExp | readonly string[], value: string): boolean {
  return form instanceof RegExp ? form.test(value) : form.includes(value);
}

/** The address of an inbox, such as `/?risk=high`; what is usual is not said. */
export function inboxPath(query: InboxQuery): string {
  const printed = printedQuery(query);
  return printed === '' ? '/' : `/?${printed}`;
}

/** `risk=high&q=clock`; empty for the usual inbox. */
export function printedQuery(query: InboxQuery): string {
  const known = [...Object.keys(filters), ...Object.keys(texts)];
  const said = Object.entries(query).filter(([name, value]) => known.includes(name) && value !== undefined);
  const unusual = said.filter(([name, value]) => !(name === 'for' && value === 'me'));
  return new URLSearchParams(Object.fromEntries(unusual)).toString();
}
