import { GitError } from '../git/git.ts';
import { listRemote } from '../git/remote.ts';
import type { Log } from '../github/octokit/connect.ts';
import { allRepositories } from '../github/read/repositories-with-runs.ts';
import { messageOf } from '../runs/faults.ts';
import { aFewAtOnce } from './a-few-at-once.ts';
import type { Installations } from './installations.ts';

/** Repositories that are asked at the same time. */
const atOnce = 8;

/** What was found, and whether there can be no other. */
export interface OpenLedgers {
  /** As `owner/name`. */
  readonly names: readonly string[];
  readonly isComplete: boolean;
}

/**
 * The repositories of an installation that have ledgers of runs that have not ended. Where Git refuses to
 * tell, such as in a disabled repository, GitHub's search has to find them.
 */
export async function withOpenLedgers(
  installations: Installations,
  installation: number,
  { log, isStopped }: { readonly log: Pick<Log, 'warn'>; readonly isStopped: () => boolean },
): Promise<OpenLedgers> {
  const all = await allRepositories(installations.client(installation));
  const names: string[] = [];
  const look = async (incoming: (typeof all)[number]) => {
    const { remote, owner, name } = installations.repository(incoming, installation);
    try {
      if ((await listRemote(remote, ['refs/coxswain/open/*'])).size > 0) names.push(`${owner}/${name}`);
      return true;
    } catch (fault) {
      log.warn(`could not look for ledgers in ${owner}/${name}: ${messageOf(fault)}`);
      return isRefused(fault);
    }
  };
  const isComplete = await aFewAtOnce(all, look, { atOnce, isStopped });
  return { names, isComplete };
}

/** An outage passes, and is waited for. */
function isRefused(fault: unknown): boolean {
  return fault instanceof GitError && /returned error: 40[34]|not found/i.test(fault.stderr);
}
