import { profileProblem } from '../../config/agent-choices.ts';
import { withOverrides } from '../../config/overrides.ts';
import { type ConfigReading, type Misconfigured, type Operator, readConfig } from '../../config/read.ts';
import { type Problem, problemText } from '../../config/schema/config-problem.ts';
import { settingsFor } from '../../config/settings-by-base.ts';
import { defaultBranchOf } from '../../git/remote.ts';
import type { Settings, TaskOverrides } from '../../steering/shapes/settings.ts';
import type { State } from '../../steering/state/state.ts';
import { matchesRepository } from '../../text/globs.ts';
import { type Presenting, presentingProblems } from './presenting.ts';
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
  /** The Action's. */
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
  if (!isFetched) await mirror.fetch([`+refs/heads/${branch}:refs/heads/${branch}`]);
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
