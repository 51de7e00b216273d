import type { ApprovalSettings, Settings } from '../steering/shapes/settings.ts';
import { matchesBranch } from '../text/globs/branch-glob.ts';
import { branchCheck, sharedCheck, unlistedCheck } from './check-names.ts';
import { type WorkerProfile, withProfile } from './worker-profiles.ts';

/** What the configuration says about branches besides the default branch. */
export interface Configuration {
  /** For the default branch. */
  readonly settings: Settings;
  /** Other branches that count, in the order of the file. */
  readonly bases: readonly BaseBranches[];
  readonly others: OtherPulls;
  /** Those that a task can choose. */
  readonly profiles: readonly WorkerProfile[];
}

/** An entry of `bases`: what is different for some branches. */
export interface BaseBranches {
  readonly globs: readonly string[];
  /** Null: each branch has a check of its own. */
  readonly check: string | null;
  /** In place of the verifiers at the top, if given. */
  readonly verifiers: Pick<Settings, 'verifiers' | 'checks'> | null;
  /** The keys that are different. */
  readonly approval: Partial<ApprovalSettings>;
}

/** What pull requests that are not runs get. */
export interface OtherPulls {
  readonly pass: boolean;
  /** Bots that count like people, by login in lower case. */
  readonly bots: readonly string[];
}

/** The base of a pull request. */
export interface Base {
  readonly base: string;
  /** The repository's default branch now: which one it is can be changed. */
  readonly default_branch: string;
  /** The profile that the task of the run chooses; one that there is not changes nothing. */
  readonly worker_profile?: string | undefined;
}

/** The settings of a run into this base. Branches that are not listed have those of the default branch. */
export function settingsFor(configuration: Configuration, base: Base): Settings {
  const profile = configuration.profiles.find(({ name }) => name === base.worker_profile);
  return withProfile(settingsAt(configuration, base), profile);
}

function settingsAt({ settings, bases }: Configuration, { base, default_branch }: Base): Settings {
  if (base === default_branch) return settings;
  const entry = entryFor(bases, base);
  if (entry === undefined) return { ...settings, check: unlistedCheck(base) };
  const { verifiers, approval, check, globs } = entry;
  const { checks, ...rest } = settings;
  return {
    ...rest,
    ...(check === null ? { check: branchCheck(base) } : { check: sharedCheck(check), shared_by: globs }),
    ...(verifiers ?? { verifiers: settings.verifiers, ...(checks !== undefined && { checks }) }),
    approval: { ...settings.approval, ...approval },
  };
}

/** The first entry that matches the branch. */
function entryFor(bases: readonly BaseBranches[], branch: string): BaseBranches | undefined {
  return bases.find(({ globs }) => globs.some((glob) => matchesBranch(glob, branch)));
}
