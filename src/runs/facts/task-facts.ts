import { profileProblem } from '../../config/agent-choices.ts';
import { modelProblem } from '../../config/model-problem.ts';
import { problemText } from '../../config/schema/config-problem.ts';
import {
  askedBy,
  misconfiguration,
  type SettingsReading,
  tightenedBy,
  united,
} from '../../repository/configuration.ts';
import type { CommandOf } from '../../steering/commands/index.ts';
import type { TaskChanges, TaskFacts } from '../../steering/shapes/task.ts';
import type { EventOf, Stamp } from '../../steering/state/event.ts';
import type { State } from '../../steering/state/state.ts';
import { dependenciesOf } from '../dependencies/dependencies.ts';
import type { RepositoryRuns } from '../run/live-runs.ts';
import type { Run } from '../run/run.ts';
import type { Services } from '../run/services.ts';

/** What is found out about a command. */
export type SaidFacts = Partial<Omit<EventOf<'said'>, keyof Stamp | 'type'>>;

type Describing = CommandOf<'retry' | 'spawn'>;

/** What is found of the tasks that a command describes, if it describes any. */
export async function findTaskFacts(command: Describing, run: Run, runs: RepositoryRuns): Promise<SaidFacts> {
  const tasks = tasksIn(command);
  const state = tasks.length === 0 ? undefined : await run.state();
  if (state === undefined) return {};
  const profiles = await profilesOf(tasks, state, run);
  const facts = taskFacts(command, { ...state, profiles }, run.services);
  const names = tasks.flatMap(({ depends_on = [] }) => depends_on).filter((name) => name.startsWith('#'));
  if (names.length === 0) return { task_facts: facts };
  const { issue, number, base } = state.run;
  // What takes the place of a task is part of its issue, too, which is closed with the last one of all.
  const own = issue === null ? [number] : [issue, number];
  const { on, problems } = await dependenciesOf(runs, { base, own, names });
  const all = [...facts.problems, ...problems];
  return { task_facts: { ...facts, problems: all, ...(on.length > 0 && { on }) } };
}

function tasksIn(command: Describing): readonly TaskChanges[] {
  if (command.type === 'spawn') return command.tasks;
  return command.changes === undefined ? [] : [command.changes];
}

/** The settings with each worker profile that one of the tasks chooses, as the configuration now has it. */
async function profilesOf(
  tasks: readonly TaskChanges[],
  state: State,
  run: Run,
): Promise<ReadonlyMap<string, SettingsReading>> {
  const chosen = new Set(tasks.flatMap(({ worker_profile }) => worker_profile ?? []));
  const { base } = state.run;
  const read = [...chosen].map(async (worker_profile) => {
    const reading = await run.readSettings({ base, ...askedBy(state), worker_profile });
    return [worker_profile, reading] as const;
  });
  return new Map(await Promise.all(read));
}

type Checking = Pick<Services, 'operator' | 'modelKeys'>;

interface Known extends Pick<State, 'settings' | 'overrides' | 'task'> {
  readonly profiles?: ReadonlyMap<string, SettingsReading>;
}

/** What the configuration says to the tasks of a command, and what a retry tightens from then on. */
export function taskFacts(command: Describing, state: Known, checking: Checking): TaskFacts {
  const tasks = tasksIn(command);
  const problems = tasks.flatMap((task, index) =>
    problemsOf(task, state, checking).map((problem) =>
      tasks.length === 1 ? problem : `task ${index + 1}, ${problem}`,
    ),
  );
  if (command.type !== 'retry') return { problems };
  const overrides = united(state.overrides ?? {}, command.changes?.overrides ?? {});
  return { problems, ...(Object.keys(overrides).length > 0 && { overrides }) };
}

/** Why a task cannot take the place of another, or of its words; its own settings only tighten what holds. */
function problemsOf(
  { overrides = {}, worker_profile = '' }: TaskChanges,
  { profiles, ...known }: Known,
  { operator: { bounds = {} }, modelKeys }: Checking,
): readonly string[] {
  const reading = profiles?.get(worker_profile);
  if (reading?.outcome === 'misconfigured') return [misconfiguration(reading)];
  const now = reading === undefined ? known : { ...known, settings: reading.settings };
  const { fresh, problems, settings } = tightenedBy(overrides, now, bounds);
  const isNew = worker_profile !== '' && worker_profile !== known.task.worker_profile;
  const unknown =
    profileProblem(settings, worker_profile) ??
    (isNew && !('agent' in fresh) ? hiddenProfile(known) : undefined);
  const isOther =
    problems.length === 0 && unknown === undefined && (reading !== undefined || 'agent' in fresh);
  const keyless = isOther ? modelKeys && modelProblem(settings, modelKeys, bounds.network) : undefined;
  return [...problems.map(problemText), ...[unknown, keyless].flatMap((each) => each ?? [])];
}

/** An agent that was chosen before goes before any profile. */
function hiddenProfile({ overrides: { agent } = {} }: Pick<State, 'overrides'>): string | undefined {
  if (agent === undefined) return undefined;
  const use = typeof agent === 'string' ? agent : Object(agent).use;
  return `worker_profile: the task has the agent ${use}, which goes before that of a profile; write \`agent\` instead`;
}
