import type { ApprovalSettings, Approver, Settings, StageAgent } from '../steering/shapes/settings.ts';
import { matchesBranch } from '../text/globs.ts';
import { type WorkerProfile, withProfile } from './agent-choices.ts';
import { branchCheck, sharedCheck, unlistedCheck } from './check-names.ts';
import { problemAt, type Reading } from './problems.ts';
import type { Path, Problem } from './schema/config-problem.ts';
import { valueAt } from './schema/document.ts';

/** A configuration as a whole, also for branches besides the default branch. */
export interface Configuration {
  /** These hold for the default branch. */
  readonly settings: Settings;
  /** Other branches that count, in the order of the file. */
  readonly bases: readonly BaseBranches[];
  /** What pull requests that are not runs get; `bots` count like people, by login in lower case. */
  readonly others: { readonly pass: boolean; readonly bots: readonly string[] };
  /** A task can choose one of them. */
  readonly profiles: readonly WorkerProfile[];
}

/** An entry of `bases`: what is different for some branches. */
interface BaseBranches {
  readonly globs: readonly string[];
  /** Null: each branch has a check of its own. */
  readonly check: string | null;
  /** They take the place of the verifiers at the top, if there are any. */
  readonly verifiers: Pick<Settings, 'verifiers' | 'checks'> | null;
  /** The keys that are different. */
  readonly approval: Partial<ApprovalSettings>;
}

interface Base {
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

/** An agent that may work besides the usual one, and what names it. */
export interface OtherAgent {
  readonly agent: StageAgent;
  readonly of:
    | { readonly kind: 'profile'; readonly name: string }
    | { readonly kind: 'stage'; readonly name: string }
    | { readonly kind: 'review' };
}

/** The worker profiles, then the agents of stages and of second opinions that are none of these. */
export function otherAgents({ settings, profiles }: Configuration): readonly OtherAgent[] {
  const { stages, review, pipelines = {} } = settings;
  const all = [{ ...(stages && { stages }), ...(review && { review }) }, ...Object.values(pipelines)];
  const known = profiles.map(({ name, ...agent }) => ({ agent, of: { kind: 'profile', name } as const }));
  const named = all.flatMap((pipeline) => agentsOf(pipeline));
  const isProfile = ({ agent }: OtherAgent) => known.some((profile) => isSame(profile.agent, agent));
  return [...known, ...named.filter((each) => !isProfile(each))];
}

function agentsOf({ stages = [], review }: Pick<Settings, 'stages' | 'review'>): readonly OtherAgent[] {
  return [
    ...stages.flatMap(({ name, agent }) => (agent ? [{ agent, of: { kind: 'stage', name } as const }] : [])),
    ...(review ? [{ agent: review, of: { kind: 'review' } as const }] : []),
  ];
}

/** Whatever it is told besides, as a reviewer is. */
function isSame(one: StageAgent, other: StageAgent): boolean {
  const known = ({ agent, instructions, limits }: StageAgent) =>
    JSON.stringify([agent, instructions, limits]);
  return known(one) === known(other);
}

/** Says what the configuration calls an agent: its name under `agents`, or that of the program. */
export function nameOfAgent(agent: StageAgent, profiles: Configuration['profiles']): string {
  const profile = profiles.find(({ name: _, ...rest }) => isSame(rest, agent));
  return profile?.name ?? agent.agent.use;
}

/** Wherever the file asks for more approvals than it names people: no run could ever be approved there. */
export function neverApproved({ settings: { approval }, bases }: Configuration, reading: Reading): Problem[] {
  const ofBases = bases.map((entry, index) => ({
    path: ['bases', index, 'approval'],
    who: { ...approval, ...entry.approval },
  }));
  return [{ path: ['approval'], who: approval }, ...ofBases].flatMap(({ path, who }) => {
    const key = keyWrittenAt(path, reading);
    if (key === undefined) return [];
    const expected = expectedToSuffice(key, who);
    return expected === undefined ? [] : [problemAt([...path, key], expected, reading)];
  });
}

/** Says what this key would have to be for a run to be approved at all; undefined if it can be. */
export function expectedToSuffice(key: string, { by, required }: ApprovalSettings): string | undefined {
  const people = peopleIn(by);
  if (people >= required) return undefined;
  if (key === 'required') return `at most ${people}, because \`by\` names no more people`;
  if (key === 'by') return `at least ${required} users, because so many must approve, or a permission`;
  return undefined;
}

/** An entry of `bases` may have only one of the two, or neither. */
function keyWrittenAt(path: Path, { document }: Reading): 'by' | 'required' | undefined {
  const keys = ['required', 'by'] as const;
  return keys.find((key) => valueAt(document, [...path, key]) !== undefined);
}

/** How many different people these are; without a bound if a role or a team is among them. */
function peopleIn(by: readonly Approver[]): number {
  const logins = by.map((one) => ('login' in one ? one.login.toLowerCase() : undefined));
  return logins.includes(undefined) ? Infinity : new Set(logins).size;
}

/**
 * Teams that may approve or are asked, but are of another organization than the repository: GitHub gives a
 * team no rights elsewhere. None if the owner is unknown.
 */
export function foreignTeams(
  { settings, bases }: Configuration,
  owner: string | undefined,
): readonly Problem[] {
  if (owner === undefined) return [];
  const ofBases = bases.map(({ approval }, index) => teamsIn(approval, `bases[${index}].approval`));
  const answering = teamsIn({ by: settings.answers?.by ?? [] }, 'answers');
  const asked = (settings.interrupts?.ask ?? []).flatMap((team, index) =>
    team.includes('/') ? [{ path: `interrupts.ask[${index}]`, team }] : [],
  );
  return [...teamsIn(settings.approval, 'approval'), ...answering, ...asked, ...ofBases.flat()]
    .filter(({ team }) => team.split('/')[0]?.toLowerCase() !== owner.toLowerCase())
    .map(({ path, team }) => ({
      path,
      expected: `a team of ${owner}, which owns this repository by its remote in Git`,
      received: `"@${team}"`,
      example: '',
    }));
}

function teamsIn({ by = [], protected_paths: protectors = [] }: Partial<ApprovalSettings>, path: string) {
  const lists = [
    { path: `${path}.by`, by },
    ...protectors.map((entry, index) => ({ path: `${path}.protected_paths[${index}].by`, by: entry.by })),
  ];
  return lists.flatMap((list) =>
    list.by.flatMap((one, index) =>
      'team' in one ? [{ path: `${list.path}[${index}]`, team: one.team }] : [],
    ),
  );
}

/**
 * Finds the owner in the address of a remote: `https://github.com/acme/api.git`, `git@github.com:acme/api`.
 */
export function ownerIn(address: string): string | undefined {
  const [, owner] =
    /^(?:(?:https?|ssh|git):\/\/[^/]+\/|[\w.-]+@[\w.-]+:)([\w-]+)\/[^/]+\/?$/.exec(address) ?? [];
  return owner;
}
