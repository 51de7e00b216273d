import type { Log } from '../../github/octokit/connect.ts';
import { GitHubFault } from '../../github/octokit/fault.ts';
import { readPull } from '../../github/read/pulls.ts';
import type { Outcomes } from '../../ledger/outcomes.ts';
import type { Outcome } from '../../steering/shapes/task.ts';
import type { Repository } from './repository.ts';

/** How many former runs stand behind an agent; `why` none of them can be believed is part of a sentence. */
export interface MergedRuns {
  readonly count: number;
  readonly why?: string;
}

interface Counting {
  readonly log: Log;
  readonly outcomes: Outcomes;
  /** The heads at which GitHub has said that pull requests were merged. */
  readonly confirmed: Map<number, string>;
  readonly repository: Repository;
}

/** How many pull requests GitHub is asked about at most. */
const maxAsked = 50;

/**
 * Counts the runs that these agents did alone and that were merged on people's approval: what we can prove
 * to have written, once for each pull request, and only if GitHub says that it was merged at that head. The
 * newest come first, and with `wanted` of them it is enough. Of several agents the one with the fewest
 * counts. Throws if Git or GitHub cannot be reached.
 */
export async function mergedRuns(
  counting: Counting,
  agents: readonly string[],
  wanted: number,
): Promise<MergedRuns> {
  const { outcomes, repository, log } = counting;
  const { lines, why } = await outcomes.read();
  if (why !== undefined) {
    log.warn(`${repository.owner}/${repository.name}: former runs count for nothing: ${why}`);
    return { count: 0, why };
  }
  const newestFirst = lines.map(({ outcome }) => outcome).toReversed();
  const counts: number[] = [];
  for (const agent of agents)
    counts.push(
      await confirmedAmong(
        newestFirst.filter((each) => isMergedWorkOf(each, agent)),
        counting,
        wanted,
      ),
    );
  return { count: counts.length === 0 ? 0 : Math.min(...counts) };
}

function isMergedWorkOf({ outcome, approved_by, agents }: Outcome, agent: string): boolean {
  return outcome === 'merged' && approved_by === 'people' && agents.length === 1 && agents[0] === agent;
}

async function confirmedAmong(
  candidates: readonly Outcome[],
  counting: Counting,
  wanted: number,
): Promise<number> {
  let count = 0;
  for (const candidate of candidates.slice(0, maxAsked)) {
    if (count >= wanted) return count;
    if (await isMerged(candidate, counting)) count += 1;
  }
  return count;
}

/** The ledger is a memory and no authority: GitHub says what was merged. */
async function isMerged(
  { number, head }: Outcome,
  { confirmed, repository, log }: Counting,
): Promise<boolean> {
  if (confirmed.get(number) === head) return true;
  const pull = await readPull(repository.octokit, repository, number).catch((fault: unknown) => {
    // It was removed, so GitHub no longer says anything about it.
    if (fault instanceof GitHubFault && fault.status === 404) return undefined;
    throw fault;
  });
  if (pull?.merged && pull.head_sha === head) {
    confirmed.set(number, head);
    return true;
  }
  log.warn(
    `${repository.owner}/${repository.name}#${number}: GitHub does not say that it was merged at ${head}`,
  );
  return false;
}
