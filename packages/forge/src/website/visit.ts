import type { UserActor } from '../actors.ts';
import type { Context } from '../context.ts';
import type { Git } from '../git/plumbing.ts';
import type { Json, Repository, Role } from '../model.ts';
import type { ForgeResponse } from '../requests.ts';
import type { Method } from '../router.ts';
import type { Html } from './html.ts';

/** Somebody looks at a page, or does something there. */
export interface Visit {
  context: Context;
  /** The person whom the pages act for. */
  actor: UserActor;
  path: string;
  query: URLSearchParams;
  /** Does what the API does for this person, or throws GitHub's error. */
  api(method: Method, path: string, body?: Json): Promise<unknown>;
  /** What was just refused, so that it can be shown with all that was typed. */
  refusal?: { message: string; status: number; form: URLSearchParams } | undefined;
}

/** A visit of a repository that the person can see. */
export interface RepositoryVisit extends Visit {
  repository: Repository;
  git: Git;
  /** Such as `/ada/widgets`. */
  at: string;
  role: Role | undefined;
}

/** The parts of a path that its pattern names, decoded. */
export type Params = Record<string, string>;

/** What the browser shows: a page in the forge's design, or something else as it is. */
export type Shown = Page | ForgeResponse;

export interface Page {
  title: string;
  main: Html;
  /** The tab of the repository to which the page belongs. */
  tab?: Tab;
  status?: number;
  /** Never reloaded by the script, because its text belongs to one version. */
  still?: boolean;
  /** For tables of code: uses the whole width. */
  wide?: boolean;
}

export type Tab = 'issues' | 'pulls';

/** What a form does; returns the path to show next. `do` in the form says which one it is. */
export type Deed = (visit: RepositoryVisit, asked: Asked) => Promise<string>;

export interface Asked {
  params: Params;
  form: URLSearchParams;
}

/** What the forms of a page do, by the value of `do`. */
type Deeds = Readonly<Record<string, Deed>>;

type Show = (visit: RepositoryVisit, params: Params) => Shown | Promise<Shown>;

/** One kind of page: its path, what it shows, and what its forms do. */
export interface PageRoute {
  pattern: RegExp;
  show: Show;
  deeds: Deeds;
}

export function isPage(shown: Shown): shown is Page {
  return 'main' in shown;
}

/** What was typed into a field before it was refused. */
export function kept(visit: Visit, what: string, field: string): string | undefined {
  const form = visit.refusal?.form;
  return form?.get('do') === what ? (form.get(field) ?? undefined) : undefined;
}

/** The commit of a branch, a tag or (the beginning of) an id; no other expression of Git's. */
export async function commitCalled({ git }: RepositoryVisit, name: string): Promise<string | undefined> {
  const isRef = (await git.attempt(['check-ref-format', `refs/heads/${name}`])).code === 0;
  return isRef ? git.commit(name) : undefined;
}

/** A page of a repository, such as `/issues/:number` or `/edit/*rest`. */
export function page(path: string, show: Show, deeds: Deeds = {}): PageRoute {
  return { pattern: pathPattern(`/:owner/:repo${path}`), show, deeds };
}

/** `:name` is one segment, `:number` a number, and `*name` everything. */
function pathPattern(path: string): RegExp {
  const source = path
    .replaceAll('.', '\\.')
    .replace(/:(\w+)/g, (_, name: string) => `(?<${name}>${name === 'number' ? '[1-9]\\d{0,8}' : '[^/]+'})`)
    .replace(/\*(\w+)/g, '(?<$1>.+)');
  return new RegExp(`^${source}/?$`);
}
