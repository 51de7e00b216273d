import { GitError } from '../../git/git.ts';
import type { Settings } from '../../steering/settings.ts';
import { readConfigAt } from '../configuration.ts';
import { CannotStart } from './refusals.ts';
import type { Starting } from './start.ts';

export interface Base {
  readonly base: string;
  readonly sha: string;
  readonly settings: Settings;
}

/** Where a run starts from, and the configuration it is bound to. */
export async function baseOf({ request, repository, lanes }: Starting, wanted?: string): Promise<Base> {
  const base = wanted ?? request.repository.default_branch;
  const reading = await readConfigAt(repository, base, lanes.workshop.operator).catch((fault: unknown) => {
    if (fault instanceof GitError && /couldn't find remote ref/.test(fault.stderr)) return undefined;
    throw fault;
  });
  if (reading === undefined) throw new CannotStart({ why: 'no_base', base });
  if (reading.outcome === 'misconfigured') throw new CannotStart({ why: 'misconfigured', reading });
  const mirror = await repository.mirror();
  const sha = await mirror.resolve(`refs/heads/${base}`);
  if (sha === undefined) throw new CannotStart({ why: 'no_base', base });
  return { base, sha, settings: reading.settings };
}
