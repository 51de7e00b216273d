import { listRemote } from '../git/remote.ts';
import type { Log } from '../github/octokit/connect.ts';
import { allRepositories } from '../github/read/repositories-with-runs.ts';
import { messageOf } from '../runs/faults.ts';
import { aFewAtOnce } from './a-few-at-once.ts';
import type { Installations } from './installations.ts';

/** Repositories that are asked at the same time. */
const atOnce = 8;

/**
 * The names of the repositories of an installation that have ledgers of runs that have not ended. Where Git
 * refuses to tell, such as in a disabled repository, GitHub's search has to find them.
 */
export async function withOpenLedgers(
  installations: Installations,
  installation: number,
  log: Pick<Log, 'warn'>,
): Promise<readonly string[]> {
  const all = await allRepositories(installations.client(installation));
  const names: string[] = [];
  const look = async (incoming: (typeof all)[number]) => {
    const { remote, owner, name } = installations.repository(incoming, installation);
    const ledgers = await listRemote(remote, ['refs/coxswain/open/*']).catch((fault: unknown) => {
      log.warn(`could not look for ledgers in ${owner}/${name}: ${messageOf(fault)}`);
      return new Map<string, string>();
    });
    if (ledgers.size > 0) names.push(`${owner}/${name}`);
    return true;
  };
  await aFewAtOnce(all, look, { atOnce, isStopped: () => false });
  return names;
}
