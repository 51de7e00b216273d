import { type Actor, accountOf } from '../actors.ts';
import { type Context, fullName } from '../context.ts';
import type { Input } from '../input.ts';
import type { Issue } from '../model.ts';
import { issueEventsOf } from '../operations/issue-events.ts';
import {
  addIssue,
  addLabel,
  editText,
  emitIssueEvent,
  findLabel,
  setLabels,
  setState,
} from '../operations/issues.ts';
import { accountById } from '../payloads/accounts.ts';
import { formatsOf } from '../payloads/formats.ts';
import { issueEventPayload } from '../payloads/issue-events.ts';
import { issuePayload, labelPayload, labelsOf } from '../payloads/issues.ts';
import { atLeast, needs, roleOf, sees } from '../permissions.ts';
import {
  type ApiResponse,
  created,
  HttpError,
  invalidField,
  invalidRequest,
  noContent,
  notFound,
  ok,
} from '../responses.ts';
import {
  type ApiRequest,
  openRoute,
  page,
  pageOf,
  type RepositoryRequest,
  type Route,
  repositoryRoute,
  routesOn,
} from '../router.ts';
import { isPull } from '../store.ts';
import { issueIn, issueRoute, requireEditAccess, writableIssueIn, writableIssueRoute } from './shared.ts';

const read = needs('read', { issues: 'read' }, { pull_requests: 'read' });
const write = needs('read', { issues: 'write' }, { pull_requests: 'write' });
const triage = needs('triage', { issues: 'write' }, { pull_requests: 'write' });

const readIssue = needs('read', { issues: 'read' });
const triageIssue = needs('triage', { issues: 'write' });

const lock = needs('write', { issues: 'write' }, { pull_requests: 'write' });
export const lockReasons = ['off-topic', 'too heated', 'resolved', 'spam'] as const;

const writeLabels = needs('write', { issues: 'write' }, { pull_requests: 'write' });

const plainIssueRoute = routesOn(plainIssueIn);

export const issueRoutes: Route[] = [
  repositoryRoute('GET /issues', needs('read', { issues: 'read' }), ({ context, query, repository }) => {
    const state = query.get('state') ?? 'open';
    const labels = (query.get('labels') ?? '').split(',').filter((name) => name !== '');
    const since = query.get('since');
    const issues = context.store
      .issues(repository)
      .filter((issue) => state === 'all' || issue.state === state)
      .filter((issue) => labels.every((name) => hasLabel(context, issue, name)))
      .filter((issue) => since === null || Date.parse(issue.updated_at) >= Date.parse(since));
    return page(sorted(issues, query), (issue) => issuePayload(context, issue));
  }),
  repositoryRoute('POST /issues', needs('read', { issues: 'write' }), async (request) => {
    const { context, repository, input, author } = request;
    // GitHub also takes a number.
    const given = input.fields['title'];
    const title = typeof given === 'number' ? String(given) : input.text('title');
    if (!title) throw invalidField('Issue', 'title', 'missing_field');
    const issue = addIssue(context, repository, { title, body: input.text('body') ?? null, author });
    const names = mayLabel(request) ? namesIn(input) : [];
    await emitIssueEvent(request, issue, 'opened');
    await setLabels(request, issue, names);
    return created(issuePayload(context, issue));
  }),
  issueRoute('GET /issues/{issue_number}', read, (issue, { accept, context }) => {
    const closed_by = accountById(context, issue.closed_by_id);
    return ok({ ...issuePayload(context, issue), closed_by, ...formatsOf(context, accept, issue.body) });
  }),
  /** The author or write access may change the text; triage access may change the state and labels, too. */
  writableIssueRoute('PATCH /issues/{issue_number}', write, async (issue, request) => {
    const { context, input } = request;
    if (!mayLabel(request)) requireEditAccess(request, issue.user_id);
    if (input.has('title') || input.has('body')) {
      requireEditAccess(request, issue.user_id);
      const body = input.fields['body'] === null ? '' : input.text('body');
      await editText(request, issue, { title: input.text('title'), body });
    }
    const state = input.oneOf('state', ['open', 'closed']);
    const reason = input.oneOf('state_reason', ['completed', 'not_planned', 'reopened']) ?? null;
    if (state) await setState(request, issue, state, { reason });
    if (input.has('labels') && mayLabel(request)) {
      await setLabels(request, issue, namesIn(input));
    }
    return ok(issuePayload(context, issue));
  }),
  writableIssueRoute('PUT /issues/{issue_number}/lock', lock, (issue, { input }) => {
    issue.locked = { reason: input.oneOf('lock_reason', lockReasons) ?? null };
    return noContent();
  }),
  writableIssueRoute('DELETE /issues/{issue_number}/lock', lock, (issue) => {
    delete issue.locked;
    return noContent();
  }),
  issueRoute('GET /issues/{issue_number}/labels', read, (issue, { context }) =>
    page(labelsOf(context, issue), (label) => label),
  ),
  writableIssueRoute('POST /issues/{issue_number}/labels', triage, async (issue, request) => {
    const names = [...currentNames(request, issue), ...namesIn(request.input)];
    return labelled(request, issue, names);
  }),
  repositoryRoute('PUT /issues/{issue_number}/labels', triage, async (request) => {
    return labelled(request, writableIssueIn(request), namesIn(request.input));
  }),
  repositoryRoute('DELETE /issues/{issue_number}/labels', triage, async (request) => {
    await labelled(request, writableIssueIn(request), []);
    return noContent();
  }),
  writableIssueRoute('DELETE /issues/{issue_number}/labels/{name}', triage, async (issue, request) => {
    const name = (request.params['name'] ?? '').toLowerCase();
    const names = currentNames(request, issue);
    const rest = names.filter((one) => one.toLowerCase() !== name);
    if (rest.length === names.length) throw Object.assign(notFound(), { message: 'Label does not exist' });
    return labelled(request, issue, rest);
  }),
  repositoryRoute('POST /labels', writeLabels, ({ context, input, repository }) => {
    const name = input.requiredText('name');
    if (findLabel(repository, name)) {
      throw invalidField('Label', 'name', 'already_exists');
    }
    const color = (input.text('color') ?? 'ededed').toLowerCase();
    if (!/^[0-9a-f]{6}$/.test(color)) throw invalidField('Label', 'color');
    const label = addLabel(context, repository, {
      name,
      color,
      description: input.text('description') ?? null,
    });
    return created(labelPayload(context, repository, label));
  }),
  repositoryRoute('GET /labels/{name}', read, ({ context, repository, params }) => {
    const label = findLabel(repository, params['name'] ?? '');
    if (!label) throw notFound();
    return ok(labelPayload(context, repository, label));
  }),
  issueRoute('GET /issues/{issue_number}/events', read, (issue, { context, repository }) => {
    return page(issueEventsOf(context, issue), (event) => issueEventPayload(context, repository, event));
  }),
  plainIssueRoute('GET /issues/{issue_number}/dependencies/blocked_by', readIssue, (issue, { context }) => {
    return page(blockersOf(context, issue), (blocking) => issuePayload(context, blocking));
  }),
  plainIssueRoute(
    'POST /issues/{issue_number}/dependencies/blocked_by',
    triageIssue,
    (issue, { context, input }) => {
      const blocking = context.store.data.issues.find(({ id }) => id === input.fields['issue_id']);
      if (!blocking) throw notFound();
      const known = issue.blocked_by_ids ?? [];
      if (blocking.id === issue.id || isPull(blocking) || known.includes(blocking.id)) {
        throw invalidField('IssueDependency', 'issue_id');
      }
      issue.blocked_by_ids = [...known, blocking.id];
      return created(issuePayload(context, blocking));
    },
  ),
  plainIssueRoute(
    'DELETE /issues/{issue_number}/dependencies/blocked_by/{issue_id}',
    triageIssue,
    (issue, { context, params }) => {
      const blocking = blockersOf(context, issue).find(({ id }) => id === Number(params['issue_id']));
      if (!blocking) throw notFound();
      issue.blocked_by_ids = (issue.blocked_by_ids ?? []).filter((id) => id !== blocking.id);
      return ok(issuePayload(context, blocking));
    },
  ),
  /** Unlike on GitHub, the index is always up to date. */
  openRoute('GET /search/issues', async (request) => {
    const { context, query } = request;
    const found = searched(request);
    const before = (Number(query.get('page') ?? 1) - 1) * Number(query.get('per_page') ?? 30);
    if (before >= maxFound) throw new HttpError(422, 'Only the first 1000 search results are available');
    return pageOf(found.slice(0, maxFound), async (shown) => ({
      total_count: found.length,
      incomplete_results: false,
      search_type: 'lexical',
      items: shown.map((issue) => ({ ...issuePayload(context, issue), score: 1 })),
    }));
  }),
];

/** Whoever searches sees no more, however many are found. */
const maxFound = 1000;

/** Only issues have dependencies. */
function plainIssueIn(request: RepositoryRequest): Issue {
  const issue = issueIn(request);
  if (isPull(issue)) throw notFound();
  return issue;
}

function blockersOf({ store }: Context, { blocked_by_ids = [] }: Issue): Issue[] {
  return blocked_by_ids.flatMap((id) => store.data.issues.find((issue) => issue.id === id) ?? []);
}

export function hasLabel(context: Context, issue: Issue, name: string): boolean {
  const label = findLabel(context.store.repository(issue.repository_id), name);
  return label !== undefined && issue.label_ids.includes(label.id);
}

/** Sorted by `created` (default) or `updated`; newest first unless `direction` says otherwise. */
export function sorted<Item extends Pick<Issue, 'id' | 'created_at' | 'updated_at'>>(
  items: Item[],
  query: URLSearchParams,
  usual = 'desc',
): Item[] {
  const key = query.get('sort') === 'updated' ? 'updated_at' : 'created_at';
  const ascending = (query.get('direction') ?? usual) === 'asc';
  const oldestFirst = [...items].sort((a, b) => a[key].localeCompare(b[key]) || a.id - b.id);
  return ascending ? oldestFirst : oldestFirst.reverse();
}

async function labelled(request: RepositoryRequest, issue: Issue, names: string[]): Promise<ApiResponse> {
  await setLabels(request, issue, names);
  return ok(labelsOf(request.context, issue));
}

function currentNames({ context }: RepositoryRequest, issue: Issue): string[] {
  return context.store.labelsOn(issue).map(({ name }) => name);
}

/** Labels are strings or `{ name }` objects. */
function namesIn(input: Input): string[] {
  return (input.list('labels') ?? []).map((entry) => {
    if (typeof entry === 'string') return entry;
    const name: unknown =
      typeof entry === 'object' && entry !== null && 'name' in entry ? entry.name : undefined;
    if (typeof name === 'string') return name;
    throw invalidRequest(`For 'items', ${JSON.stringify(entry)} is not a string.`);
  });
}

/** Labels in a request without triage access are silently ignored, as on GitHub. */
function mayLabel({ actor, repository }: RepositoryRequest): boolean {
  if (actor.kind === 'user') return atLeast(roleOf(actor.account, repository), 'triage');
  return actor.kind === 'installation';
}

/** What the actor finds by the query `q`. */
export function searched({
  context,
  actor,
  query,
}: Pick<ApiRequest, 'context' | 'actor' | 'query'>): Issue[] {
  const terms = (query.get('q') ?? '').match(/(?:"[^"]*"|[^\s"])+/g) ?? [];
  const found = context.store.data.issues
    .filter((issue) => sees(actor, context.store.repository(issue.repository_id)))
    .filter((issue) => isCovered(actor, issue))
    .filter((issue) => terms.every((term) => meets({ context, actor, issue }, term.replaceAll('"', ''))));
  return sorted(found, query);
}

/**
 * Whether the issue meets a term such as `is:open`; of GitHub's qualifiers only those that callers use.
 * Nobody is assigned to any.
 */
function meets(
  { context, actor, issue }: { context: Context; actor: Actor; issue: Issue },
  term: string,
): boolean {
  const [name = '', value] = term.toLowerCase().split(/:(.*)/s);
  const path = fullName(context, context.store.repository(issue.repository_id)).toLowerCase();
  const login = value === '@me' ? accountOf(actor)?.login.toLowerCase() : value;
  const isNamed = (id: number) => context.store.account(id).login.toLowerCase() === login;
  if (value === undefined) return `${issue.title}\n${issue.body ?? ''}`.toLowerCase().includes(name);
  switch (name) {
    case 'repo':
      return path === value;
    case 'user':
      return path.split('/')[0] === value;
    case 'is':
    case 'state':
    case 'type':
      if (value === 'merged') return isPull(issue) && issue.pull.merged_at !== null;
      return value === 'pr' || value === 'issue' ? (value === 'pr') === isPull(issue) : issue.state === value;
    case 'label':
      return value.split(',').some((label) => hasLabel(context, issue, label));
    case 'author':
      return isNamed(issue.user_id);
    case 'review-requested':
      return issue.pull?.requested_reviewer_ids.some(isNamed) ?? false;
    case 'draft':
      return issue.pull?.draft === (value === 'true');
    case 'head':
      return issue.pull?.head_ref === value;
    case 'base':
      return issue.pull?.base_ref === value;
    case 'archived':
      return value === 'false';
    case 'assignee':
      return false;
    default:
      throw new HttpError(422, `the forge does not know the qualifier ${name}:`);
  }
}

/** An App finds issues of its installation's repositories; people find what they can see. */
function isCovered(actor: Actor, issue: Issue): boolean {
  return actor.kind !== 'installation' || actor.repository_ids.includes(issue.repository_id);
}
