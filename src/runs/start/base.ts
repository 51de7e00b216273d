import { withOverrides } from '../../config/overrides.ts';
import { GitError } from '../../git/git.ts';
import { mayApprove } from '../../steering/policy.ts';
import type { Settings } from '../../steering/settings.ts';
import { readConfigAt } from '../configuration.ts';
import { CannotStart } from './cannot-start.ts';
import type { Starting } from './starting.ts';

export interface Base {
  readonly base: string;
  readonly sha: string;
  readonly settings: Settings;
}

/** The commit a run starts from and its settings; those of the task override the repository's. */
export async function baseOf(starting: Starting, wanted?: string): Promise<Base> {
  const { request, repository, liveRuns, startOptions } = starting;
  const base = wanted ?? startOptions.base ?? request.repository.default_branch;
  const reading = await readConfigAt(repository, base, liveRuns.services).catch((fault: unknown) => {
    if (fault instanceof GitError && /couldn't find remote ref/.test(fault.stderr)) return undefined;
    throw fault;
  });
  if (reading === undefined) throw new CannotStart({ why: 'no_base', base });
  if (reading.outcome === 'misconfigured') throw new CannotStart({ why: 'misconfigured', reading });
  const mirror = await repository.mirror();
  const sha = await mirror.resolve(`refs/heads/${base}`);
  if (sha === undefined) throw new CannotStart({ why: 'no_base', base });
  return { base, sha, settings: overridden(reading.settings, starting) };
}

/** Anyone may tighten the approval rules for a task; only people who may approve can loosen them. */
function overridden(settings: Settings, { request, liveRuns, startOptions }: Starting): Settings {
  if (startOptions.overrides === undefined) return settings;
  const { bounds = {} } = liveRuns.services.operator;
  const author = { may_loosen: mayApprove(settings.approval, request.by), bounds };
  const result = withOverrides(settings, startOptions.overrides, author);
  if (result.outcome === 'overridden') return result.settings;
  const where = { path: 'the inputs of the workflow', ref: request.cause };
  throw new CannotStart({
    why: 'misconfigured',
    reading: { outcome: 'misconfigured', where, missing: false, problems: result.problems },
  });
}
