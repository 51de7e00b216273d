import { type Context, fullName, timestamp } from '../context.ts';
import type { Input } from '../input.ts';
import type { Issue, Label, Reaction } from '../model.ts';
import { addIssue, editText, emitIssueEvent, findLabel, setLabels, setState } from '../operations/issues.ts';
import { association } from '../payloads/accounts.ts';
import { formatsOf } from '../payloads/formats.ts';
import {
  issuePayload,
  labelPayload,
  labelsOf,
  reactionContents,
  reactionPayload,
} from '../payloads/issues.ts';
import { atLeast, needs, roleOf, sees } from '../permissions.ts';
import { type ApiResponse, created, HttpError, missingField, noContent, notFound, ok } from '../responses.ts';
import {
  type ApiRequest,
  openRoute,
  page,
  pageOf,
  type RepositoryRequest,
  type Route,
  repositoryRoute,
} from '../router.ts';
import { commentIn } from './comments.ts';
import { authorIn, issueIn, numberOf, requireEditAccess, writableIssueIn } from './shared.ts';

const read = needs('read', { issues: 'read' }, { pull_requests: 'read' });
const write = needs('read', { issues: 'write' }, { pull_requests: 'write' });
const triage = needs('triage', { issues: 'write' }, { pull_requests: 'write' });

const writeLabels = needs('write', { issues: 'write' }, { pull_requests: 'write' });

export const issueRoutes: Route[] = [
  repositoryRoute('GET /issues', needs('read', { issues: 'read' }), (request) => {
    const { context, repository, query } = request;
    const state = query.get('state') ?? 'open';
    const labels = (query.get('labels') ?? '').split(',').filter((name) => name !== '');
    const since = query.get('since');
    const issues = context.store
      .issues(repository)
      .filter((issue) => state === 'all' || issue.state === state)
      .filter((issue) => labels.every((name) => hasLabel(context, issue, name)))
      .filter((issue) => query.get('creator') === null || isBy(context, issue, query.get('creator')))
      .filter((issue) => since === null || Date.parse(issue.updated_at) >= Date.parse(since));
    return page(request, sorted(issues, query), (issue) => issuePayload(context, issue));
  }),
  repositoryRoute('POST /issues', needs('read', { issues: 'write' }), async (request) => {
    const { context, repository, input } = request;
    const author = authorIn(request);
    const title = String(input.fields['title'] ?? '');
    if (title === '') throw missingField('Issue', 'title');
    const issue = addIssue(context, repository, { title, body: input.text('body') ?? null, author });
    const names = mayLabel(request) ? namesIn(input) : [];
    await emitIssueEvent(context, issue, { action: 'opened', sender_id: author.user_id });
    await setLabels(context, issue, { names, sender_id: author.user_id });
    return created(issuePayload(context, issue));
  }),
  repositoryRoute('GET /issues/{issue_number}', read, (request) => {
    const { context, accept } = request;
    const issue = issueIn(request);
    return ok({ ...issuePayload(context, issue), ...formatsOf(context, accept, issue.body) });
  }),
  /** The author or write access may change the text; triage access may change the state and labels, too. */
  repositoryRoute('PATCH /issues/{issue_number}', write, async (request) => {
    const { context, input } = request;
    const issue = writableIssueIn(request);
    const sender_id = authorIn(request).user_id;
    if (!mayLabel(request)) requireEditAccess(request, issue.user_id);
    if (input.has('title') || input.has('body')) {
      requireEditAccess(request, issue.user_id);
      const body = input.fields['body'] === null ? '' : input.text('body');
      await editText(context, issue, { title: input.text('title'), body, sender_id });
    }
    const state = input.oneOf('state', ['open', 'closed']);
    const reason = input.oneOf('state_reason', ['completed', 'not_planned', 'reopened']) ?? null;
    if (state) await setState(context, issue, { state, reason, sender_id });
    if (input.has('labels') && mayLabel(request)) {
      await setLabels(context, issue, { names: namesIn(input), sender_id });
    }
    return ok(issuePayload(context, issue));
  }),
  repositoryRoute('GET /issues/{issue_number}/labels', read, (request) => {
    return page(request, labelsOf(request.context, issueIn(request)), (label) => label);
  }),
  repositoryRoute('POST /issues/{issue_number}/labels', triage, async (request) => {
    const issue = writableIssueIn(request);
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
  repositoryRoute('DELETE /issues/{issue_number}/labels/{name}', triage, async (request) => {
    const issue = writableIssueIn(request);
    const name = (request.params['name'] ?? '').toLowerCase();
    const names = currentNames(request, issue);
    const rest = names.filter((one) => one.toLowerCase() !== name);
    if (rest.length === names.length) throw Object.assign(notFound(), { message: 'Label does not exist' });
    return labelled(request, issue, rest);
  }),
  repositoryRoute('GET /labels', read, (request) =>
    page(request, request.repository.labels, (label) =>
      labelPayload(request.context, request.repository, label),
    ),
  ),
  repositoryRoute('POST /labels', writeLabels, (request) => {
    const { context, repository, input } = request;
    const name = input.requiredText('name');
    if (findLabel(repository, name)) {
      throw new HttpError(422, 'Validation Failed', {
        errors: [{ resource: 'Label', code: 'already_exists', field: 'name' }],
      });
    }
    const color = (input.text('color') ?? 'ededed').toLowerCase();
    requireColor(color);
    const label: Label = {
      id: context.store.id(),
      name,
      color,
      description: input.text('description') ?? null,
    };
    repository.labels.push(label);
    return created(labelPayload(context, repository, label));
  }),
  repositoryRoute('GET /labels/{name}', read, (request) => labelResponse(request, labelIn(request))),
  ...reactionsOf('/issues/{issue_number}', issueIn),
  ...reactionsOf('/issues/comments/{comment_id}', commentIn),
  /** Unlike on GitHub, the index is always up to date. */
  openRoute('GET /search/issues', async (request) => {
    const { context, actor, query } = request;
    const terms = termsIn(query.get('q') ?? '');
    if (terms.length === 0) {
      throw new HttpError(422, 'Validation Failed', {
        errors: [{ resource: 'Search', field: 'q', code: 'missing' }],
      });
    }
    const found = context.store.data.issues
      .filter((issue) => sees(actor, context.store.repository(issue.repository_id)))
      .filter((issue) => isCovered(request, issue))
      .filter((issue) => terms.every((term) => meets(context, issue, term)));
    return pageOf(request, sorted(found, query), async (shown) => ({
      total_count: found.length,
      incomplete_results: false,
      search_type: 'lexical',
      items: shown.map((issue) => resultPayload(context, issue)),
    }));
  }),
];

export function hasLabel(context: Context, issue: Issue, name: string): boolean {
  const label = findLabel(context.store.repository(issue.repository_id), name);
  return label !== undefined && issue.label_ids.includes(label.id);
}

export function isBy(context: Context, issue: Issue, login: string | null): boolean {
  return context.store.account(issue.user_id).login.toLowerCase() === login?.toLowerCase();
}

/** Sorted by `created` (default) or `updated`; newest first unless `direction=asc`. */
export function sorted<Item extends Issue>(issues: Item[], query: URLSearchParams): Item[] {
  const key = query.get('sort') === 'updated' ? 'updated_at' : 'created_at';
  const ascending = (query.get('direction') ?? query.get('order')) === 'asc';
  const oldestFirst = [...issues].sort((a, b) => a[key].localeCompare(b[key]) || a.id - b.id);
  return ascending ? oldestFirst : oldestFirst.reverse();
}

async function labelled(request: RepositoryRequest, issue: Issue, names: string[]): Promise<ApiResponse> {
  await setLabels(request.context, issue, { names, sender_id: authorIn(request).user_id });
  return ok(labelsOf(request.context, issue));
}

function currentNames(request: RepositoryRequest, issue: Issue): string[] {
  return request.repository.labels.filter(({ id }) => issue.label_ids.includes(id)).map(({ name }) => name);
}

/** Labels are strings or `{ name }` objects. */
function namesIn(input: Input): string[] {
  return (input.list('labels') ?? []).map((entry) => {
    if (typeof entry === 'string') return entry;
    const name: unknown =
      typeof entry === 'object' && entry !== null && 'name' in entry ? entry.name : undefined;
    if (typeof name === 'string') return name;
    throw new HttpError(422, `Invalid request.\n\nFor 'items', ${JSON.stringify(entry)} is not a string.`);
  });
}

/** Labels in a request without triage access are silently ignored, as on GitHub. */
function mayLabel({ actor, repository }: RepositoryRequest): boolean {
  if (actor.kind === 'user') return atLeast(roleOf(actor.account, repository), 'triage');
  return actor.kind === 'installation';
}

function labelIn({ repository, params }: RepositoryRequest): Label {
  const label = findLabel(repository, params['name'] ?? '');
  if (!label) throw notFound();
  return label;
}

function labelResponse({ context, repository }: RepositoryRequest, label: Label): ApiResponse {
  return ok(labelPayload(context, repository, label));
}

function requireColor(color: string): void {
  if (/^[0-9a-f]{6}$/.test(color)) return;
  throw new HttpError(422, 'Validation Failed', {
    errors: [{ resource: 'Label', code: 'invalid', field: 'color' }],
  });
}

/** An issue, a pull request or a comment. */
type Target = { reactions: Reaction[] };
type TargetIn = (request: RepositoryRequest) => Target;

function reactionsOf(path: string, targetIn: TargetIn): Route[] {
  const read = needs('read', { issues: 'read' }, { pull_requests: 'read' });
  const write = needs('read', { issues: 'write' }, { pull_requests: 'write' });
  return [
    repositoryRoute(`GET ${path}/reactions`, read, (request) => list(request, targetIn(request))),
    repositoryRoute(`POST ${path}/reactions`, write, (request) => react(request, targetIn(request))),
    repositoryRoute(`DELETE ${path}/reactions/{reaction_id}`, write, (request) =>
      remove(request, targetIn(request)),
    ),
  ];
}

function list(request: RepositoryRequest, target: Target): Promise<ApiResponse> {
  const content = request.query.get('content');
  const reactions = target.reactions.filter((one) => content === null || one.content === content);
  return page(request, reactions, (reaction) => reactionPayload(request.context, reaction));
}

/** 201 for a new reaction, 200 if the account has already added it. */
function react(request: RepositoryRequest, target: Target): ApiResponse {
  const { context, input } = request;
  input.requiredText('content');
  const content = input.oneOf('content', reactionContents) ?? '+1';
  const { user_id } = authorIn(request);
  const given = target.reactions.find((one) => one.user_id === user_id && one.content === content);
  if (given) return ok(reactionPayload(context, given));
  const reaction = { id: context.store.id(), user_id, content, created_at: timestamp(context) };
  target.reactions.push(reaction);
  return { status: 201, body: reactionPayload(context, reaction) };
}

function remove(request: RepositoryRequest, target: Target): ApiResponse {
  const id = numberOf(request.params['reaction_id']);
  const reaction = target.reactions.find((one) => one.id === id);
  if (!reaction) throw notFound();
  requireEditAccess(request, reaction.user_id);
  target.reactions.splice(target.reactions.indexOf(reaction), 1);
  return noContent();
}

interface Term {
  negated: boolean;
  /** Empty for a plain search term. */
  name: string;
  value: string;
}

function termsIn(text: string): Term[] {
  return [...text.matchAll(/(-?)(?:([\w-]+):)?(?:"([^"]*)"|(\S+))/g)].map(
    ([, minus, name, quoted, word]) => ({
      negated: minus === '-',
      name: (name ?? '').toLowerCase(),
      value: quoted ?? word ?? '',
    }),
  );
}

function meets(context: Context, issue: Issue, term: Term): boolean {
  return meetsPlainly(context, issue, term) !== term.negated;
}

function meetsPlainly(context: Context, issue: Issue, { name, value }: Term): boolean {
  const repository = context.store.repository(issue.repository_id);
  const path = fullName(context, repository).toLowerCase();
  const word = value.toLowerCase();
  switch (name) {
    case 'repo':
      return path === word;
    case 'org':
    case 'user':
      return path.split('/')[0] === word;
    case 'is':
    case 'state':
    case 'type':
      return isA(issue, word);
    case 'label':
      return value.split(',').some((label) => hasLabel(context, issue, label.replaceAll('"', '')));
    case 'author':
      return isBy(context, issue, value) || isBy(context, issue, `${value.replace(/^app\//, '')}[bot]`);
    case 'head':
      return issue.pull?.head_ref === value;
    case 'base':
      return issue.pull?.base_ref === value;
    case 'draft':
      return issue.pull !== null && String(issue.pull.draft) === word;
    case 'archived':
      return word === 'false';
    case '':
      return `${issue.title}\n${issue.body ?? ''}`.toLowerCase().includes(word);
    default:
      throw new HttpError(422, `the forge does not know the qualifier ${name}:`);
  }
}

function isA(issue: Issue, word: string): boolean {
  switch (word) {
    case 'pr':
    case 'pull-request':
      return issue.pull !== null;
    case 'issue':
      return issue.pull === null;
    case 'draft':
      return issue.pull?.draft === true;
    case 'merged':
      return issue.pull !== null && issue.pull.merged_at !== null;
    default:
      return issue.state === word;
  }
}

/** An App finds issues of its installation's repositories; people find what they can see. */
function isCovered({ actor }: ApiRequest, issue: Issue): boolean {
  return actor.kind !== 'installation' || actor.repository_ids.includes(issue.repository_id);
}

function resultPayload(context: Context, issue: Issue) {
  const repository = context.store.repository(issue.repository_id);
  return {
    ...issuePayload(context, issue),
    author_association: association(context, repository, issue.user_id),
    score: 1,
  };
}
