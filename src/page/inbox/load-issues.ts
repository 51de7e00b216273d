import type { Identity } from '../../doors/callers/identity.ts';
import type { RunIndex } from '../../doors/lists/run-index.ts';
import { isOver } from '../../steering/phases/table.ts';
import type { Role } from '../../steering/shapes/people.ts';
import { type Loaded, loaded } from '../load/github-reader.ts';
import type { Visitor } from '../sign-in/visitors.ts';

/** The open issues of a repository that no run is under way for. */
export interface RepositoryIssues {
  readonly owner: string;
  readonly repo: string;
  /** What the viewer may do there. */
  readonly role: Role;
  readonly issues: Loaded<readonly IssueSummary[]>;
}

export interface IssueSummary {
  readonly number: number;
  readonly title: string;
  readonly author: string;
  /** When it was last changed, ISO 8601. */
  readonly at: string;
}

/** Of more repositories somebody chooses one, so that a page costs a few requests. */
const maxRepositories = 3;

/** GitHub lists so many at once, the ones that changed last. */
const perPage = 100;

/** Issues of one repository, or of all if somebody has only a few; undefined if they have more. */
export async function loadIssues(
  { caller, reader }: Visitor,
  { identity, index }: { readonly identity: Identity; readonly index: RunIndex },
  only: string | undefined,
): Promise<readonly RepositoryIssues[] | undefined> {
  const { byId, byName } = await identity.lists.of(caller);
  const wanted = only === undefined ? [...byId.values()] : [byName.get(only.toLowerCase()) ?? []].flat();
  if (wanted.length > maxRepositories) return undefined;
  const underWay = (id: number) =>
    new Set(
      index
        .runs()
        .flatMap(({ repository_id, facts: { issue }, entry: { phase } }) =>
          repository_id === id && !isOver(phase) ? [issue] : [],
        ),
    );
  return Promise.all(
    wanted.map(async ({ repository: { id, owner, name: repo }, role }) => {
      const route = 'GET /repos/{owner}/{repo}/issues';
      const query = { owner, repo, state: 'open', sort: 'updated', per_page: perPage } as const;
      const taken = underWay(id);
      const issues = reader.get(route, query).then(({ data }) =>
        data
          .filter(({ pull_request, number }) => pull_request === undefined && !taken.has(number))
          .map(({ number, title, user, updated_at: at }) => ({
            ...{ number, title, at },
            author: user?.login ?? 'ghost',
          })),
      );
      return { owner, repo, role, issues: await loaded(`The issues of ${owner}/${repo}`, issues) };
    }),
  );
}
