import { type TaskAction, taskActions } from '../tasks/task-fields.ts';

/** What a path shows. */
export type Route = { readonly page: 'overview' } | IssueRoute;

/** An issue or a pull request: GitHub numbers both as issues. */
export interface IssueRoute {
  readonly page: 'issues' | 'pull';
  readonly owner: string;
  readonly repo: string;
  readonly number: number;
}

/** What a form does to an issue or a pull request, by POST. */
const formActions = ['comment', 'label'] as const;

export type FormAction = (typeof formActions)[number];

/** What else is below a route: the events of an agent at work, and forms with a page of their own. */
type Below = FormAction | TaskAction | 'progress';

export interface RouteMatch {
  readonly route: Route;
  readonly action: Below | null;
}

const name = '[\\w.-]+';
const issuePath = new RegExp(
  `^/(?<owner>${name})/(?<repo>${name})/(?<page>issues|pull)/(?<number>[1-9]\\d{0,9})(?:/(?<action>\\w+))?$`,
);

/** Reads a path; undefined if it does not belong to the page. */
export function matchRoute(path: string): RouteMatch | undefined {
  if (path === '/') return { route: { page: 'overview' }, action: null };
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
  if (page === 'issues') return [...formActions, 'run'];
  return [...formActions, 'progress', ...taskActions.filter((action) => action !== 'run')];
}

export function pathOf(route: Route, action?: Below): string {
  if (route.page === 'overview') return '/';
  const { owner, repo, page, number } = route;
  return [`/${owner}/${repo}/${page}/${number}`, ...(action === undefined ? [] : [action])].join('/');
}
