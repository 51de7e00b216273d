import type { Contributors } from '../../steering/shapes/people.ts';
import type { Account } from '../events/github-event.ts';
import type { Answers, Octokit } from '../octokit/connect.ts';
import { GitHubFault } from '../octokit/fault.ts';
import type { Own } from '../own.ts';
import { accountOf, type RepositoryRef, repoParams } from './repository-ref.ts';

/** A move of a branch from one commit to another; it was created from `noCommit`, and deleted to it. */
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
  /** Whether they reach back to the first creation of the branch. */
  readonly complete: boolean;
  /** GitHub may list the last push, or who it was by, later than it happened. */
  readonly lags: boolean;
}

/** What GitHub names where a branch does not exist. */
const noCommit = '0'.repeat(40);

/** Pages of a hundred moves. */
const maxPages = 3;

/**
 * The unbroken history of a branch, from its current head backwards, also to before it was deleted and
 * created again. It is empty while GitHub does not list the last push yet, and ends where an entry is
 * missing.
 */
export async function readBranchHistory(
  octokit: Octokit,
  where: RepositoryRef,
  { branch, head }: { readonly branch: string; readonly head: string },
): Promise<BranchHistory> {
  const moves: BranchMove[] = [];
  let isListed = false;
  let complete = false;
  for await (const { entries, isLast } of pagesOf(octokit, where, branch)) {
    isListed = true;
    for (const { before, after, timestamp, actor } of entries) {
      if (after !== (moves.at(-1)?.before ?? head)) return historyOf(moves, { isListed });
      moves.push({ before, after, at: timestamp, by: actor && accountOf(actor) });
    }
    complete = isLast && moves.at(-1)?.before === noCommit;
  }
  return historyOf(moves, { isListed, complete });
}

/**
 * Every commit that a branch has ever pointed to, also before it was deleted and created again, as GitHub
 * recorded it: each once, what we pushed first, then the others, newest first. `complete`: they reach back to
 * the first creation of the branch.
 */
export async function readFormerHeads(
  { octokit, own, ...where }: RepositoryRef & { readonly octokit: Octokit; readonly own: Own },
  branch: string,
) {
  const entries: Activity[] = [];
  let isWhole = false;
  for await (const page of pagesOf(octokit, where, branch)) {
    entries.push(...page.entries);
    isWhole = page.isLast;
  }
  const isOurPush = ({ actor }: Activity) => actor !== null && isOurs(accountOf(actor), own);
  const named = [...entries.filter(isOurPush), ...entries].flatMap(({ after, before }) => [after, before]);
  const complete = isWhole && entries.at(-1)?.before === noCommit;
  return { heads: [...new Set(named)].filter((sha) => sha !== noCommit), complete };
}

function historyOf(
  moves: readonly BranchMove[],
  { isListed, complete = false }: { readonly isListed: boolean; readonly complete?: boolean },
): BranchHistory {
  const isUnknown = moves.length === 0 || moves.some(({ by }) => by === null);
  return { moves, complete, lags: isListed && isUnknown };
}

type Activity = Answers['repos']['listActivities']['response']['data'][number];

/** Ends early if GitHub refuses: some servers do not keep this list. `isLast`: GitHub has nothing older. */
async function* pagesOf(octokit: Octokit, where: RepositoryRef, branch: string) {
  const wanted = { ...repoParams(where), ref: `refs/heads/${branch}`, per_page: 100 };
  let pages = 0;
  try {
    const { listActivities } = octokit.rest.repos;
    for await (const { data, headers } of octokit.paginate.iterator(listActivities, wanted)) {
      yield { entries: data, isLast: !/rel="next"/.test(headers.link ?? '') };
      pages += 1;
      if (pages === maxPages) return;
    }
  } catch (fault) {
    if (!(fault instanceof GitHubFault) || fault.retriable) throw fault;
    octokit.log.warn(`could not find out who pushed to ${branch}: ${fault.message}`);
  }
}

/**
 * When somebody else last moved the branch back to a commit where it had been before, or created it again
 * after it had been deleted, ISO 8601; null if nobody did, as far as GitHub lists. Whoever looked at it in
 * between has seen something else.
 */
export function returnedAt({ moves }: BranchHistory, own: Own): string | null {
  const returned = moves.find((move, index) => {
    if (isOurs(move.by, own) || move.after === noCommit) return false;
    const older = moves.slice(index + 1);
    const isNewBranch = move.before === noCommit;
    return isNewBranch
      ? older.length > 0
      : older.some(({ before, after }) => [before, after].includes(move.after));
  });
  return returned?.at ?? null;
}

/**
 * The head that a branch had at a time (ISO 8601); undefined if it had none, or that is not certain. Times
 * have whole seconds, so what someone else pushed in that very second may have come before or after.
 */
export function headAt({ moves }: BranchHistory, time: string, own: Own): string | undefined {
  const second = Math.floor(Date.parse(time) / 1000);
  const last = moves.find(({ at }) => Date.parse(at) / 1000 < second + 1);
  if (last === undefined || last.after === noCommit) return undefined;
  const isAmbiguous = Math.floor(Date.parse(last.at) / 1000) === second && !isOurs(last.by, own);
  return isAmbiguous ? undefined : last.after;
}

/**
 * The people who created or moved the branch, not those who deleted it; incomplete if any of it was done by
 * an App or by someone unnamed.
 */
export function pushersIn({ moves, complete }: BranchHistory, own: Own): Contributors {
  const others = moves.filter(({ by, after }) => !isOurs(by, own) && after !== noCommit);
  const people = others.flatMap(({ by }) => (by === null || by.bot ? [] : [by]));
  return {
    people: people.map(({ login, id }) => ({ login, id })),
    complete: complete && people.length === others.length,
  };
}

/** GitHub reserves `slug[bot]` for the App. */
function isOurs(by: Account | null, own: Own): boolean {
  return by?.bot === true && by.login === own.login;
}
