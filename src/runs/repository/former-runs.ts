import type { Log } from '../../github/octokit/connect.ts';
import { Outcomes, outcomesDir } from '../../ledger/outcomes.ts';
import type { Seals } from '../../seal/seals.ts';
import type { Outcome } from '../../steering/shapes/task.ts';
import type { FlakyBefore } from '../../words/parts/tests.ts';
import { messageOf } from './faults.ts';
import { type MergedRuns, mergedRuns } from './merged-runs.ts';
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

interface Given {
  /** The folder of the process. */
  readonly data: string;
  readonly log: Log;
  readonly seals: Seals;
}

/** How many repositories are kept in mind. */
const max = 1_000;

export function openFormerRuns({ data, log, seals }: Given): FormerRuns {
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
