import { type Caller, type Identity, personIn } from '../../doors/callers/identity.ts';
import type { Readable } from '../../doors/callers/visible-repositories.ts';
import { type ListPage, listRuns } from '../../doors/lists/list-runs.ts';
import type { Listed, RunIndex, TeamAsked } from '../../doors/lists/run-index.ts';
import type { InboxEntry, RunSummary } from '../../doors/report/report-shapes.ts';
import { isAsked } from '../../steering/audience.ts';
import { isInProgress, isOver } from '../../steering/phases/table.ts';
import type { Account, Person, Role } from '../../steering/shapes/people.ts';
import type { InboxQuery } from './inbox-query.ts';

/** What lists are read from. */
export interface InboxSources {
  readonly identity: Identity;
  readonly index: RunIndex;
  /** When this process last looked through all repositories, ISO 8601; null if it has not yet. */
  readonly lookedAt: () => string | null;
  /** Which of these teams somebody is in; each is asked about where a run that names it is. */
  readonly memberships: (who: Account, teams: readonly TeamAsked[]) => Promise<Memberships>;
}

/** Those of which it is not known whether somebody is in them are `unread_teams`. */
export type Memberships = Pick<Person, 'teams' | 'unread_teams'>;

/** A run that waits, and who somebody is to it. */
export type Waiting = Listed<InboxEntry>;
export type Other = Listed<RunSummary>;

export interface InboxModel {
  readonly query: InboxQuery;
  readonly waiting: ListPage<InboxEntry>;
  /** What does not wait for people, by where it is listed. */
  readonly others: Readonly<Record<GroupId, ListPage<RunSummary>>>;
  /** Who looks at it, in a repository. */
  readonly viewerIn: (repository_id: number) => Person;
  /** Whether the person sees any repository where the App is installed. */
  readonly seesAny: boolean;
  /** When the App last looked through all repositories; null if it does not know all of them yet. */
  readonly as_of: string | null;
  /** Whether the App may know of more than it keeps in mind. */
  readonly isFull: boolean;
}

export type GroupId = 'stopped' | 'approved' | 'in-progress' | 'blocked' | 'ended';

const limits = { waiting: 50, others: 20 } as const;

/** Reads the lists from what this process knows, and asks GitHub only what the person may see. */
export async function loadInbox(
  query: InboxQuery,
  caller: Caller,
  sources: InboxSources,
): Promise<InboxModel> {
  const { identity, index, lookedAt } = sources;
  const viewer = await viewerWith(caller, sources);
  const cursor = query.cursor;
  const waiting = await listRuns(identity, caller, matching(index.waiting(), query), {
    ...{ limit: limits.waiting, cursor },
    accepts: (listed, readable) => query.for === 'anyone' || isFor(listed, viewer(readable)),
  });
  const { byId } = await identity.lists.of(caller);
  const grouped = groupsOf(matching(index.others(), query));
  const group = (id: GroupId) => listRuns(identity, caller, grouped[id], { limit: limits.others });
  return {
    ...{ query, waiting, as_of: lookedAt(), isFull: index.isFull, seesAny: byId.size > 0 },
    others: {
      stopped: await group('stopped'),
      approved: await group('approved'),
      'in-progress': await group('in-progress'),
      blocked: await group('blocked'),
      ended: await group('ended'),
    },
    viewerIn: (id) => viewer(byId.get(id)),
  };
}

function groupsOf(runs: readonly Other[]): Readonly<Record<GroupId, readonly Other[]>> {
  const groups: Record<GroupId, Other[]> = {
    ...{ stopped: [], approved: [], 'in-progress': [], blocked: [], ended: [] },
  };
  for (const run of runs) {
    const id = groupOf(run);
    if (id !== undefined) groups[id].push(run);
  }
  return groups;
}

/** Nobody is left out of whom it is not known whether they are in a team. */
export function isFor({ facts: { audience } }: Waiting, viewer: Person): boolean {
  return audience !== undefined && isAsked(audience, viewer) !== 'no';
}

/** Tells who somebody is in a repository: with their role there, and those of the teams that runs name. */
export async function viewerWith(
  caller: Caller,
  { identity, index, memberships }: InboxSources,
): Promise<(readable: Pick<Readable, 'role'> | undefined) => Person> {
  const { byId } = await identity.lists.of(caller);
  const asked = index.teamsAsked().filter(({ repository_id }) => byId.has(repository_id));
  const teams = asked.length === 0 ? { teams: [] } : await memberships(caller, asked);
  const inRole = new Map<Role, Person>();
  return ({ role } = { role: 'read' }) => {
    const known = inRole.get(role) ?? { ...personIn(caller, { role }), ...teams };
    inRole.set(role, known);
    return known;
  };
}

/** The runs that fit the filters; without one, many of them are not looked at one by one. */
export function matching<T extends RunSummary | InboxEntry>(
  runs: readonly Listed<T>[],
  query: InboxQuery,
): readonly Listed<T>[] {
  const { for: _, cursor: __, ...filters } = query;
  return Object.keys(filters).length === 0 ? runs : runs.filter((each) => matches(each, query));
}

/** Whether a run fits the filters. */
export function matches({ entry, facts }: Listed<RunSummary | InboxEntry>, query: InboxQuery): boolean {
  const { kind, risk, band, repo, q } = query;
  return (
    (kind === undefined || !('kind' in entry) || entry.kind === kind) &&
    (risk === undefined || riskOf({ entry, facts }) === risk) &&
    (band === undefined || entry.band === band) &&
    (repo === undefined || entry.run.toLowerCase().startsWith(`${repo.toLowerCase()}#`)) &&
    (q === undefined || entry.title.toLowerCase().includes(q.toLowerCase()))
  );
}

/** How risky is what people are asked, or else the commit that was judged last; null where nobody knows. */
export function riskOf({ entry, facts }: Pick<Listed<RunSummary | InboxEntry>, 'entry' | 'facts'>) {
  return 'risk_level' in entry ? entry.risk_level : facts.risk;
}

/** Where a run is listed that does not wait for people. */
export function groupOf({ entry: { phase }, facts: { audience } }: Listed<RunSummary>): GroupId | undefined {
  if (audience !== undefined) return undefined;
  if (isOver(phase)) return 'ended';
  if (phase === 'approved' || phase === 'blocked') return phase;
  return isInProgress(phase) ? 'in-progress' : 'stopped';
}
