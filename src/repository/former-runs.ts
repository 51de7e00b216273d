import type { Log } from '../github/octokit/connect.ts';
import { GitHubFault } from '../github/octokit/fault.ts';
import { readPull } from '../github/read/pulls.ts';
import { Outcomes, outcomesDir } from '../ledger/outcomes.ts';
import type { Seals } from '../seal/seals.ts';
import type { Outcome } from '../steering/shapes/task.ts';
import type { FlakyBefore } from '../words/parts/tests.ts';
import { messageOf } from './faults.ts';
import { RecentMap } from './recent-map.ts';
import type { Repository } from './repository.ts';

/**
 * What former runs came to, for all repositories of a process. Only the App has it, which can prove what it
 * wrote.
 */
export interface FormerRuns {
  /** Writes how a run ended, once however often it is called. */
  record(outcome: Outcome, repository: Repository): Promise<void>;
  /** How many runs of these agents were merged on people's approval, counted up to `wanted`. */
  merged(agents: readonly string[], wanted: number, repository: Repository): Promise<MergedRuns>;
  /** In how many of the last runs each verifier was flaky; undefined if that cannot be read or believed. */
  flaky(repository: Repository): Promise<FlakyBefore | undefined>;
}

/** How many repositories are kept in mind. */
const max = 1_000;

/** `data` is the folder of the process. */
export function openFormerRuns(data: string, log: Log, seals: Seals): FormerRuns {
  const open = new RecentMap<number, RepositoryOutcomes>({ max });
  const of = (repository: Repository): RepositoryOutcomes => {
    const known = open.get(repository.id);
    if (known !== undefined) return known;
    const onNotice = (text: string) => log.warn(`${repository.owner}/${repository.name}: ${text}`);
    const place = { dir: outcomesDir(data, repository.id), repositoryId: repository.id };
    const outcomes = new Outcomes({ ...place, remote: repository.remote, seals, onNotice });
    const opened = { outcomes, confirmed: new Map<number, string>() };
    open.set(repository.id, opened);
    return opened;
  };
  return {
    record: (outcome, repository) => of(repository).outcomes.append(outcome),
    merged: (agents, wanted, repository) =>
      mergedRuns({ ...of(repository), repository, log }, agents, wanted),
    flaky: (repository) =>
      flakyAmong(of(repository).outcomes).catch((fault: unknown) => {
        log.warn(
          `could not read the former runs of ${repository.owner}/${repository.name}: ${messageOf(fault)}`,
        );
        return undefined;
      }),
  };
}

/** How many of the last runs are looked at. */
const recent = 20;

async function flakyAmong(outcomes: Outcomes): Promise<FlakyBefore | undefined> {
  const { lines, why } = await outcomes.read();
  if (why !== undefined) return undefined;
  const last = lines.slice(-recent);
  const names = last.flatMap(({ outcome: { flaky = [] } }) => flaky);
  const times = Object.fromEntries(names.map((name) => [name, names.filter((each) => each === name).length]));
  return { runs: last.length, times };
}

interface RepositoryOutcomes {
  readonly outcomes: Outcomes;
  /** The heads at which GitHub has said that pull requests were merged, which nobody can undo. */
  readonly confirmed: Map<number, string>;
}

/** How many former runs stand behind an agent; `why` none of them can be believed is part of a sentence. */
interface MergedRuns {
  readonly count: number;
  readonly why?: string;
}

interface Counting extends RepositoryOutcomes {
  readonly log: Log;
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
async function mergedRuns(
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
