import { type Html, html, time, trusted, type Value } from '../../../../src/html/html.ts';
import type { Context } from '../context.ts';
import type { Account, Issue, Label } from '../model.ts';

export { type Html, html, time, trusted, type Value };

/** The values with something between them. */
export function joined(values: readonly Value[], between: Value): Value {
  return values.flatMap((value, index) => (index === 0 ? [value] : [between, value]));
}

/** A picture of an account: its first letter on a color of its own. */
export function avatar({ id, login }: Pick<Account, 'id' | 'login'>): Html {
  const hue = (id * 137) % 360;
  return html`<svg class="avatar" viewBox="0 0 20 20" aria-hidden="true"><rect width="20" height="20" rx="10" fill="hsl(${hue} 45% 42%)"/><text x="10" y="14" text-anchor="middle" font-size="11" fill="#fff">${login
    .slice(0, 1)
    .toUpperCase()}</text></svg>`;
}

/** The name of an account. */
export function person(context: Context, account_id: number | null): Html {
  if (account_id === null) return html`<b class="person">somebody</b>`;
  const account = context.store.account(account_id);
  const name = account.login.replace(/\[bot\]$/, '');
  const tag = account.type === 'Bot' && html` <span class="tag">bot</span>`;
  return html`<b class="person">${avatar(account)}${name}</b>${tag}`;
}

/** The color is a dot, so that the name is readable in any color. */
export function labelTag({ name, color, description }: Pick<Label, 'name' | 'color'> & Partial<Label>): Html {
  const title = description ? html` title="${description}"` : false;
  return html`<span class="label"${title}><svg viewBox="0 0 10 10" aria-hidden="true"><circle cx="5" cy="5" r="5" fill="#${color}"/></svg>${name}</span>`;
}

function stateOf({ state, state_reason, pull }: Issue): keyof typeof stateWords {
  if (pull !== null && pull.merged_at !== null) return 'merged';
  if (state === 'closed') return state_reason === 'not_planned' ? 'not planned' : 'closed';
  return pull?.draft ? 'draft' : 'open';
}

const stateWords = {
  open: 'Open',
  draft: 'Draft',
  merged: 'Merged',
  closed: 'Closed',
  'not planned': 'Closed as not planned',
} as const;

export function stateBadge(issue: Issue): Html {
  const state = stateOf(issue);
  return html`<span class="state state-${state.replace(' ', '-')}">${stateWords[state]}</span>`;
}

export function shortSha(sha: string): string {
  return sha.slice(0, 7);
}

/** The first seven characters of a commit's id, which lead to the commit. */
export function commitLink(at: string, sha: string): Html {
  return html`<a class="sha" href="${at}/commit/${sha}"><code>${shortSha(sha)}</code></a>`;
}

/** Only addresses of the web may be followed: an App may name any. */
export function webAddress(url: string | null): string | undefined {
  return url !== null && /^https?:\/\//i.test(url) ? url : undefined;
}

interface FormOptions {
  /** Which deed of the page it is. */
  does: string;
  fields?: Readonly<Record<string, string | number>>;
  id?: string;
  className?: string;
}

/** A form of the page, which is sent to the page's own address. */
export function form(
  visit: { path: string; query: URLSearchParams },
  { does, fields = {}, id, className }: FormOptions,
  content: Value,
): Html {
  const query = visit.query.toString();
  const hidden = Object.entries({ do: does, ...fields }).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  return html`<form method="post" action="${visit.path}${query && `?${query}`}" autocomplete="off"${
    id && html` id="${id}"`
  }${className && html` class="${className}"`}>${hidden}${content}</form>`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
