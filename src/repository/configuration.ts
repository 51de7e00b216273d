import { isDeepStrictEqual } from 'node:util';
import { profileProblem } from '../config/agent-choices.ts';
import { overrideGroups, withOverrides } from '../config/overrides.ts';
import { type ConfigReading, type Misconfigured, type Operator, readConfig } from '../config/read.ts';
import { type Problem, problemText } from '../config/schema/config-problem.ts';
import type { Bounds } from '../config/schema/operator-bounds.ts';
import { settingsFor } from '../config/settings-by-base.ts';
import { defaultBranchOf } from '../git/remote.ts';
import { GitHubFault } from '../github/octokit/fault.ts';
import { readTeam } from '../github/read/roles.ts';
import { isSameTeam } from '../steering/approval/approval-needs.ts';
import {
  type ApprovalSettings,
  type Approver,
  type Settings,
  type TaskOverrides,
  takesClick,
} from '../steering/shapes/settings.ts';
import type { State } from '../steering/state/state.ts';
import { matchesRepository } from '../text/globs.ts';
import type { Repository } from './repository.ts';

/** The base of a run and what its task tightens. */
export interface RunBase {
  readonly base: string;
  /** As GitHub has just named it; without it, Git asks. The name in a webhook may be outdated. */
  readonly default_branch?: string;
  readonly overrides?: TaskOverrides | undefined;
  /** The profile that its task chooses. */
  readonly worker_profile?: string | undefined;
  /** What the run's last job from the default branch had for a configuration, if that were inputs. */
  readonly recorded?: string | undefined;
}

/** What the task of a run says of its settings. */
export function askedBy({ overrides, task }: Pick<State, 'overrides' | 'task'>): Partial<RunBase> {
  return { overrides, worker_profile: task.worker_profile };
}

/** What a workflow says under `with` is the configuration where a repository has no file. */
export interface ConfiguringInputs {
  /** Null if it says nothing. */
  readonly text: string | null;
  /**
   * Whether the workflow's file is that of this branch. In other jobs anyone with write access may have
   * written it, on the branch of a pull request.
   */
  isFrom(branch: string): boolean;
}

export type SettingsReading =
  | { readonly outcome: 'configured'; readonly settings: Settings; readonly default_branch: string }
  | Misconfigured;

interface ConfigServices {
  readonly operator: Operator;
  readonly configPath: string;
  /** What the workflow of the Action says in its inputs; the App has none. */
  readonly inputs?: ConfiguringInputs | undefined;
}

/**
 * The current configuration of a repository. It is always the default branch's: anyone with write access can
 * push another branch with a configuration of their own. Throws if the repository has no commit.
 */
export async function readConfiguration(
  repository: Repository,
  { operator, configPath, inputs }: ConfigServices,
  { default_branch: known, recorded }: Pick<RunBase, 'default_branch' | 'recorded'> = {},
): Promise<ConfigReading> {
  const outside = outsideBounds(repository, { operator, configPath });
  if (outside !== undefined) return outside;
  const named = known === undefined ? await defaultBranchOf(repository.remote) : undefined;
  const branch = known ?? named?.name ?? repository.default_branch;
  const mirror = await repository.mirror();
  // An attempt has just fetched all branches.
  const isFetched = named !== undefined && (await mirror.resolve(`refs/heads/${branch}`)) === named.sha;
  if (!isFetched) await mirror.fetchBranches(branch);
  const text = await mirror.readFile(`refs/heads/${branch}`, configPath);
  const instead = text === undefined ? (inputs?.isFrom(branch) && inputs.text) || recorded : undefined;
  if (inputs === undefined || instead === undefined)
    return readConfig(text, { path: configPath, ref: branch }, operator);
  const reading = readConfig(instead, { path: configPath, ref: branch, inputs: true }, operator);
  if (reading.outcome === 'misconfigured') return reading;
  return { ...reading, settings: { ...reading.settings, inputs: instead } };
}

/** Which repositories there are is nobody else's business, so the bound is named but not shown. */
function outsideBounds(
  { owner, name, default_branch }: Repository,
  { operator, configPath }: ConfigServices,
): Misconfigured | undefined {
  const globs = operator.bounds?.repositories;
  const repository = `${owner}/${name}`;
  if (globs === undefined || matchesRepository(globs, repository)) return undefined;
  const expected = "one of the repositories that this App may work on (the operator's bound repositories)";
  const problem = { path: 'repository', expected, received: repository, example: '' };
  const where = { path: configPath, ref: default_branch };
  return { outcome: 'misconfigured', where, missing: false, outside: true, problems: [problem] };
}

/** How many are listed where a run stops; the reply to a start lists more. */
const maxProblems = 5;

/** What is wrong with a configuration, in one line of plain text. */
export function misconfiguration({ where, missing, outside, problems }: Misconfigured): string {
  if (outside) return problems.map(problemText).join('; ');
  if (missing) return `there is no ${where.path} on ${where.ref}`;
  const more = problems.length > maxProblems ? `; and ${problems.length - maxProblems} more` : '';
  const listed = problems.slice(0, maxProblems).map(problemText).join('; ');
  const subject = where.inputs ? 'the inputs of the workflow are' : `${where.path} on ${where.ref} is`;
  return `${subject} not valid: ${listed}${more}`;
}

/** A configuration that cannot be used for what it names. */
export function misconfiguredBy(problems: readonly Problem[], where: Misconfigured['where']): Misconfigured {
  return { outcome: 'misconfigured', where, missing: false, problems };
}

/**
 * The settings that now hold for a run: those of its base, tightened by its task. That the operator has taken
 * out a target which it names stops no run that is open: the run says of each message that it was not sent.
 */
export async function readSettings(
  repository: Repository,
  services: ConfigServices & Presenting,
  { base, overrides = {}, worker_profile = '', ...known }: RunBase,
): Promise<SettingsReading> {
  const operator = whateverItsTargets(services.operator);
  const reading = await readConfiguration(repository, { ...services, operator }, known);
  if (reading.outcome === 'misconfigured') return reading;
  const default_branch = reading.where.ref;
  const own = settingsFor(reading, { base, default_branch, worker_profile });
  const { settings, problems } = withOverrides(own, overrides, services.operator.bounds);
  const unread = await presentingProblems(repository, settings, services);
  if (unread.length > 0) return misconfiguredBy(unread, reading.where);
  const unknown = profileProblem(own, worker_profile);
  const ignored = [...(unknown === undefined ? [] : [unknown]), ...problems.map(problemText)];
  return {
    outcome: 'configured',
    settings: ignored.length === 0 ? settings : { ...settings, ignored },
    default_branch,
  };
}

function whateverItsTargets(operator: Operator): Operator {
  const { notify, ...bounds } = operator.bounds ?? {};
  return notify ? { ...operator, bounds } : operator;
}

/** A workflow's token cannot read teams. */
export interface Presenting {
  readonly presenter: 'app' | 'action';
}

/** What the configuration asks for that cannot be where it is presented: nobody could ever approve. */
export async function presentingProblems(
  repository: Pick<Repository, 'octokit' | 'owner'>,
  settings: Teams,
  presenting: Presenting,
): Promise<readonly Problem[]> {
  const teams = await teamProblems(repository, settings, presenting);
  if (presenting.presenter === 'app' || !takesClick(settings.approval.how)) return teams;
  const expected = 'comment or review among them: a workflow hears of no click, which takes the App';
  return [{ path: 'approval.how', expected, received: '[button]', example: '' }, ...teams];
}

/**
 * What is wrong with the teams that the configuration names: nobody could approve for a team that does not
 * exist or that we may not read, and nobody would be told. Throws `GitHubFault` when GitHub does not say.
 */
export async function teamProblems(
  { octokit, owner }: Pick<Repository, 'octokit' | 'owner'>,
  settings: Teams,
  { presenter }: Presenting,
): Promise<readonly Problem[]> {
  const problems = await Promise.all(
    teamsNamed(settings).map(async ({ path, team }): Promise<readonly Problem[]> => {
      const expected =
        presenter === 'action'
          ? "permissions and users: a workflow's token cannot read teams, which takes the App"
          : await expectedOf(octokit, owner, team);
      return expected === undefined ? [] : [{ path, expected, received: `"@${team}"`, example: '' }];
    }),
  );
  return problems.flat();
}

/** The settings that name teams. */
interface Teams extends Pick<Settings, 'answers' | 'interrupts'> {
  readonly approval: Pick<ApprovalSettings, 'by' | 'how' | 'protected_paths'>;
}

/** Each team once, where it is named first. */
function teamsNamed({ approval, answers, interrupts }: Teams) {
  const { by, protected_paths: protectors = [] } = approval;
  const named = [
    ...teamsIn(by).map((team) => ({ path: 'approval.by', team })),
    ...protectors.flatMap((entry, index) =>
      teamsIn(entry.by).map((team) => ({ path: `approval.protected_paths[${index}].by`, team })),
    ),
    ...teamsIn(answers?.by ?? []).map((team) => ({ path: 'answers.by', team })),
    ...(interrupts?.ask ?? [])
      .filter((name) => name.includes('/'))
      .map((team) => ({ path: 'interrupts.ask', team })),
  ];
  return named.filter(({ team }, at) => named.findIndex((each) => isSameTeam(each.team, team)) === at);
}

function teamsIn(by: readonly Approver[]): readonly string[] {
  return by.flatMap((approver) => ('team' in approver ? [approver.team] : []));
}

async function expectedOf(
  octokit: Repository['octokit'],
  owner: string,
  team: string,
): Promise<string | undefined> {
  const [organization = ''] = team.split('/');
  if (organization.toLowerCase() !== owner.toLowerCase())
    return `a team of ${owner}, to which this repository belongs`;
  const reading = await readTeam(octokit, team);
  if (reading === 'found') return undefined;
  if (reading === 'hidden')
    return (
      'a team that the App may read: grant it "Members: read" under "Organization permissions" in its settings, ' +
      'and accept that for the installation'
    );
  return (await isOrganization(octokit, owner))
    ? `a team of ${owner}, by its slug as in github.com/orgs/${owner}/teams: GitHub knows none of this name`
    : `permissions and users: ${owner} is not an organization, so it has no teams`;
}

async function isOrganization(octokit: Repository['octokit'], org: string): Promise<boolean> {
  try {
    await octokit.rest.orgs.get({ org });
    return true;
  } catch (fault) {
    if (fault instanceof GitHubFault && fault.status === 404) return false;
    throw fault;
  }
}

/** What holds of a task that says more of its settings, which may not loosen what it has tightened before. */
export function tightenedBy(
  wanted: TaskOverrides,
  { settings, overrides = {} }: Pick<State, 'settings' | 'overrides'>,
  bounds?: Bounds,
) {
  const fresh = freshIn(wanted, overrides);
  return { ...withOverrides(settings, fresh, bounds), overrides: together(overrides, fresh), fresh };
}

/** All that either of two tighten. */
export function united(known: TaskOverrides, wanted: TaskOverrides): TaskOverrides {
  return together(known, freshIn(wanted, known));
}

/** These lists are added to, and each key of a mapping counts by itself; other values are whole. */
const lists: readonly string[] = ['verifiers', 'protected_paths'];

/** What was not asked for before: who sends the prefilled block has not asked for the same a second time. */
function freshIn(wanted: TaskOverrides, known: TaskOverrides): TaskOverrides {
  const fresh = Object.entries(wanted).flatMap(([key, value]) => {
    const old = known[key];
    if (isDeepStrictEqual(value, old)) return [];
    // 0 stands for the setting of the repository.
    if (key === 'max_steering_iterations' && value === 0) return [];
    const part = overrideGroups.includes(key) ? freshIn(Object(value), Object(old ?? {})) : value;
    const rest = lists.includes(key) ? without(listOf(value), listOf(old)) : part;
    return Object(rest) === rest && Object.keys(Object(rest)).length === 0 ? [] : [[key, rest] as const];
  });
  return Object.fromEntries(fresh);
}

function without(items: readonly unknown[], others: readonly unknown[]): readonly unknown[] {
  return items.filter((each) => !others.some((other) => isDeepStrictEqual(other, each)));
}

function together(known: TaskOverrides, fresh: TaskOverrides): TaskOverrides {
  const changed = Object.entries(fresh).map(([key, value]) => [key, joined(key, known[key], value)]);
  return { ...known, ...Object.fromEntries(changed) };
}

function joined(key: string, old: unknown, value: unknown): unknown {
  if (lists.includes(key)) return [...listOf(old), ...listOf(value)];
  if (overrideGroups.includes(key)) return together(Object(old ?? {}), Object(value));
  // Another agent has no more time than the one before.
  const { timeout } = Object(key === 'agent' ? (old ?? {}) : {});
  return timeout === undefined ? value : { timeout, ...Object(value) };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
