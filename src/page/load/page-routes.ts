import { type TaskAction, taskActions } from '../tasks/task-fields.ts';

/** What a path shows. */
export type Route = { readonly page: 'inbox' } | IssueRoute;

/** An issue or a pull request: GitHub numbers both as issues. */
export interface IssueRoute {
  readonly page: 'issues' | 'pull';
  readonly owner: string;
  readonly repo: string;
  readonly number: number;
  /** The query of the inbox from which it was opened, to which its forms lead back. */
  readonly from?: string | undefined;
}

/** What else is below a route: where comments go, forms with a page of their own, and an agent's events. */
type Below = 'comment' | TaskAction | 'progress';

interface RouteMatch {
  readonly route: Route;
  readonly action: Below | null;
}

/** Where GitHub sends people back who sign in: the callback URL that an App is registered with. */
export const signInCallback = '/sign-in/callback';

const name = '[\\w.-]+';
const issuePath = new RegExp(
  `^/(?<owner>${name})/(?<repo>${name})/(?<page>issues|pull)/(?<number>[1-9]\\d{0,9})(?:/(?<action>\\w+))?$`,
);

/** Reads a path; undefined if it does not belong to the page. */
export function matchRoute(path: string): RouteMatch | undefined {
  if (path === '/') return { route: { page: 'inbox' }, action: null };
  const parts = issuePath.exec(path)?.groups;
  if (parts === undefined) return undefined;
  const { owner = '', repo = '', number = '' } = parts;
  const page = parts['page'] === 'pull' ? 'pull' : 'issues';
  const route = { page, owner, repo, number: Number(number) } as const;
  const below = belowOf(page);
  const action = below.find((known) => known === parts['action']);
  if (action === undefined && parts['action'] !== undefined) return undefined;
  return { route, action: action ?? null };
}

function belowOf(page: IssueRoute['page']): readonly Below[] {
  if (page === 'issues') return ['comment', 'run'];
  return ['comment', 'progress', ...taskActions.filter((action) => action !== 'run')];
}

export function pathOf(route: Route, action?: Below): string {
  if (route.page === 'inbox') return '/';
  const { owner, repo, page, number, from } = route;
  const path = `/${owner}/${repo}/${page}/${number}`;
  if (action === undefined) return path;
  return from === undefined ? `${path}/${action}` : `${path}/${action}?${new URLSearchParams({ from })}`;
}

/** Longer addresses than ours are not kept while somebody signs in. */
const maxReturnPath = 2000;

/** Where somebody goes on who has signed in: a page of ours, whatever they came with. */
export function returnPath(text: string): string {
  if (!text.startsWith('/') || text.length > maxReturnPath || !URL.canParse(text, 'http://page')) return '/';
  const { origin, pathname, searchParams } = new URL(text, 'http://page');
  const match = origin === 'http://page' ? matchRoute(pathname) : undefined;
  if (match === undefined) return '/';
  searchParams.delete('key');
  const form = taskActions.find((action) => action === match.action);
  return [pathOf(match.route, form), ...(searchParams.size > 0 ? [searchParams] : [])].join('?');
}
