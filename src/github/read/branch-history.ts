import type { Contributors } from '../../steering/person.ts';
import type { Account } from '../events/github-event.ts';
import type { Octokit } from '../octokit/connect.ts';
import { GitHubFault } from '../octokit/fault.ts';
import type { Own } from '../own.ts';
import { accountOf, type RepositoryRef, repoParams } from './repository.ts';

/** A move of a branch from one commit to another. */
export interface BranchMove {
  readonly before: string;
  readonly after: string;
  /** ISO 8601, in whole seconds. */
  readonly at: string;
  /** Null if GitHub does not say who it was. */
  readonly by: Account | null;
}

/** How a branch came to its head: what GitHub itself recorded, which nobody can change. */
export interface BranchHistory {
  /** Newest first; each starts from the commit to which the next one in the list led. */
  readonly moves: readonly BranchMove[];
  /** Whether they reach back to the creation of the branch. */
  readonly complete: boolean;
  /** GitHub may list the last push, or who it was by, later than it happened. */
  readonly lags: boolean;
}

/** Pages of a hundred moves. */
const maxPages = 3;

/**
 * The unbroken history of a branch, from its current head backwards. It is empty while GitHub does not list
 * the last push yet, and ends where an entry is missing.
 */
export async function readBranchHistory(
  octokit: Octokit,
  where: RepositoryRef,
  { branch, head }: { readonly branch: string; readonly head: string },
): Promise<BranchHistory> {
  const moves: BranchMove[] = [];
  let isListed = false;
  for await (const page of pagesOf(octokit, where, branch)) {
    isListed = true;
    for (const { activity_type, before, after, timestamp, actor } of page) {
      if (after !== (moves.at(-1)?.before ?? head)) return historyOf(moves, { isListed });
      moves.push({ before, after, at: timestamp, by: actor && accountOf(actor) });
      if (activity_type === 'branch_creation') return historyOf(moves, { isListed, complete: true });
    }
  }
  return historyOf(moves, { isListed });
}

/** Commits that a branch has pointed to, as GitHub recorded it. */
export interface FormerHeads {
  /** Each once: what we pushed first, then the others, newest first. */
  readonly heads: readonly string[];
  /** Whether they reach back to the first creation of the branch. */
  readonly complete: boolean;
}

/** Every commit that a branch has ever pointed to, also before it was deleted and created again. */
export async function readFormerHeads(
  { octokit, own, ...where }: RepositoryRef & { readonly octokit: Octokit; readonly own: Own },
  branch: string,
): Promise<FormerHeads> {
  const entries: Activity[] = [];
  let pages = 0;
  for await (const page of pagesOf(octokit, where, branch)) {
    pages += 1;
    entries.push(...page);
  }
  const isOurPush = ({ actor }: Activity) => actor !== null && isOurs({ by: accountOf(actor) }, own);
  const named = [...entries.filter(isOurPush), ...entries].flatMap(({ after, before }) => [after, before]);
  const complete = pages < maxPages && entries.at(-1)?.activity_type === 'branch_creation';
  return { heads: [...new Set(named)].filter((sha) => !/^0+$/.test(sha)), complete };
}

function historyOf(
  moves: readonly BranchMove[],
  { isListed, complete = false }: { readonly isListed: boolean; readonly complete?: boolean },
): BranchHistory {
  const isUnknown = moves.length === 0 || moves.some(({ by }) => by === null);
  return { moves, complete, lags: isListed && isUnknown };
}

interface Activity {
  readonly activity_type: string;
  readonly before: string;
  readonly after: string;
  readonly timestamp: string;
  readonly actor: { readonly login: string; readonly id: number; readonly type?: string } | null;
}

/** Ends early if GitHub refuses: some servers do not keep this list. */
async function* pagesOf(
  octokit: Octokit,
  where: RepositoryRef,
  branch: string,
): AsyncGenerator<readonly Activity[]> {
  const wanted = { ...repoParams(where), ref: `refs/heads/${branch}`, per_page: 100 };
  let pages = 0;
  try {
    for await (const { data } of octokit.paginate.iterator(octokit.rest.repos.listActivities, wanted)) {
      yield data;
      pages += 1;
      if (pages === maxPages) return;
    }
  } catch (fault) {
    if (!(fault instanceof GitHubFault) || fault.retriable) throw fault;
    octokit.log.warn(`could not find out who pushed to ${branch}: ${fault.message}`);
  }
}

/**
 * When somebody else last moved the branch back to a commit where it had been before, ISO 8601; null if
 * nobody did, as far as GitHub lists. Whoever looked at it in between has seen something else.
 */
export function returnedAt({ moves }: BranchHistory, own: Own): string | null {
  const returned = moves.find(
    (move, index) =>
      !isOurs(move, own) &&
      moves.slice(index + 1).some(({ before, after }) => before === move.after || after === move.after),
  );
  return returned?.at ?? null;
}

/**
 * The head that a branch had at a time (ISO 8601); undefined if that is not certain. Times have whole
 * seconds, so what someone else pushed in that very second may have come before or after.
 */
export function headAt({ moves }: BranchHistory, time: string, own: Own): string | undefined {
  const second = Math.floor(Date.parse(time) / 1000);
  const last = moves.find(({ at }) => Date.parse(at) / 1000 < second + 1);
  if (last === undefined) return undefined;
  const isAmbiguous = Math.floor(Date.parse(last.at) / 1000) === second && !isOurs(last, own);
  return isAmbiguous ? undefined : last.after;
}

/** The people who moved the branch; incomplete if any of it was done by an App or by someone unnamed. */
export function pushersIn({ moves, complete }: BranchHistory, own: Own): Contributors {
  const others = moves.filter((move) => !isOurs(move, own));
  const people = others.flatMap(({ by }) => (by === null || by.bot ? [] : [by]));
  return {
    people: people.map(({ login, id }) => ({ login, id })),
    complete: complete && people.length === others.length,
  };
}

/** GitHub reserves `slug[bot]` for the App. */
function isOurs({ by }: Pick<BranchMove, 'by'>, own: Own): boolean {
  return by?.bot === true && by.login === own.login;
}
