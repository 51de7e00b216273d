import { type Context, fullName } from '../context.ts';
import type { Issue } from '../model.ts';
import { pageOf } from '../pagination.ts';
import { association } from '../payloads/accounts.ts';
import { issuePayload } from '../payloads/issues.ts';
import { sees } from '../permissions.ts';
import { HttpError } from '../responses.ts';
import { type ApiRequest, openRoute, type Route } from '../router.ts';
import { hasLabel, isBy, sorted } from './issues.ts';

export const searchRoutes: Route[] = [
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
