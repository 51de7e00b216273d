import { profileProblem } from '../../config/agent-choices.ts';
import { modelProblem } from '../../config/model-problem.ts';
import { withOverrides } from '../../config/overrides.ts';
import type { Misconfigured } from '../../config/read.ts';
import { problemText } from '../../config/schema/config-problem.ts';
import { settingsFor } from '../../config/settings-by-base.ts';
import { tightening } from '../../config/tasks/task-documents.ts';
import { GitError } from '../../git/git.ts';
import {
  misconfiguredBy,
  presentingProblems,
  readConfiguration,
  tightenedBy,
} from '../../repository/configuration.ts';
import type { Settings, TaskOverrides } from '../../steering/shapes/settings.ts';
import { CannotStart, type Starting } from './starting.ts';

export interface Base {
  readonly base: string;
  readonly sha: string;
  readonly settings: Settings;
  /** What the task tightens, if anything. */
  readonly overrides?: TaskOverrides;
  /** Why the task cannot be worked on with these settings, each in a sentence. */
  readonly problems: readonly string[];
}

/** A base that was asked for, and the default branch as GitHub named it with the same answer. */
interface WantedBase {
  readonly base_ref: string;
  readonly default_branch: string;
}

/** The commit a run starts from and its settings; those of the task tighten the repository's. */
export async function baseOf(starting: Starting, wanted?: WantedBase): Promise<Base> {
  const { startOptions } = starting;
  const { repository, services } = starting.runs;
  const reading = await unlessNoSuchRef(readConfiguration(repository, services, wanted));
  if (reading === undefined) throw new CannotStart({ why: 'no_base', base: repository.default_branch });
  if (reading.outcome === 'misconfigured') throw new CannotStart({ why: 'misconfigured', reading });
  const { where } = reading;
  const default_branch = where.ref;
  const base = wanted?.base_ref ?? startOptions.base ?? default_branch;
  const tip = await tipOf(starting, base, base === default_branch);
  if (tip === undefined) throw new CannotStart({ why: 'no_base', base });
  const sha = await carriedBy(starting, tip);
  const { worker_profile = '' } = startOptions;
  const own = settingsFor(reading, { base, default_branch, worker_profile });
  const unknown = profileProblem(own, worker_profile);
  const rules = overridden(own, where, starting);
  const unread = await presentingProblems(repository, rules.settings, services);
  if (unread.length > 0)
    throw new CannotStart({ why: 'misconfigured', reading: misconfiguredBy(unread, where) });
  const { modelKeys, operator } = services;
  // Nobody knows which agent it is to be.
  if (unknown !== undefined) return { base, sha, ...rules, problems: [...rules.problems, unknown] };
  const problem = modelKeys && modelProblem(rules.settings, modelKeys, operator.bounds?.network);
  if (problem !== undefined) throw new CannotStart({ why: 'agent_unusable', problem });
  return { base, sha, ...rules };
}

/** Undefined if there is no such branch. */
async function tipOf(
  { runs: { repository } }: Starting,
  branch: string,
  isFetched: boolean,
): Promise<string | undefined> {
  const mirror = await repository.mirror();
  const ref = `refs/heads/${branch}`;
  if (isFetched) return mirror.resolve(ref);
  return unlessNoSuchRef(mirror.fetchBranches(branch).then(() => mirror.resolve(ref)));
}

/** The commit that a run begins from: what it takes on from another one, else the tip of its base. */
async function carriedBy(starting: Starting, tip: string): Promise<string> {
  const { from } = starting.inPlace ?? {};
  if (from === undefined) return tip;
  const there = await tipOf(starting, from.branch, false);
  const head = there && (await (await starting.runs.repository.mirror()).resolve(from.head));
  if (head === undefined) throw new CannotStart({ why: 'no_base', base: from.branch });
  return head;
}

async function unlessNoSuchRef<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (fault) {
    // What is no name for a branch, such as `a..b`, somebody has filled in for one.
    const isNone = /couldn't find remote ref|invalid refspec/;
    if (fault instanceof GitError && isNone.test(fault.stderr)) return undefined;
    throw fault;
  }
}

/** A task that would loosen anything does not start, whoever asks for it. */
function overridden(
  settings: Settings,
  where: Misconfigured['where'],
  { runs, startOptions }: Starting,
): Pick<Base, 'settings' | 'overrides' | 'problems'> {
  const { bounds } = runs.services.operator;
  // Inputs that are the configuration do not tighten themselves.
  const isWritten = settings.inputs === undefined;
  const inputs = (isWritten ? startOptions.overrides : startOptions.filledIn) ?? {};
  const own = withOverrides(settings, inputs, bounds);
  if (own.problems.length > 0) {
    const reading = misconfiguredBy(own.problems, { ...where, inputs: true });
    throw new CannotStart({ why: 'misconfigured', reading });
  }
  const problems: string[] = [];
  let rules = { settings: own.settings, overrides: tightening(own.overrides) ?? {} };
  for (const wanted of startOptions.written ?? []) {
    const then = tightenedBy(wanted, rules, bounds);
    problems.push(...then.problems.map(problemText));
    rules = { settings: then.settings, overrides: then.overrides };
  }
  return Object.keys(rules.overrides).length === 0 ? { settings, problems } : { ...rules, problems };
}
