import { strictest } from '../steering/shapes/limits.ts';
import type { AgentChoice, Settings, StageAgent } from '../steering/shapes/settings.ts';
import { expectedToAsk, expectedToCount } from './asking.ts';
import { defined } from './defined.ts';
import { problemAt, type Reading } from './problems.ts';
import type { Path, Problem } from './schema/problem.ts';
import { orMeant } from './schema/suggestion.ts';
import type { FromFile } from './schema.ts';

/** An agent for some tasks, which name it under `worker_profile`. */
export interface WorkerProfile extends Pick<Settings, 'instructions'> {
  readonly name: string;
  readonly agent: AgentChoice;
  readonly limits: Partial<Settings['limits']>;
}

/** In the order of the file; without a time limit of its own each has that of the usual agent. */
export function profilesFrom({ agents }: Pick<FromFile, 'agents'>, usual: AgentChoice): WorkerProfile[] {
  return Object.entries(agents).map(
    ([name, { instructions, limits, timeout_s = usual.timeout_s, ...agent }]) => ({
      ...{ name, agent: { ...agent, timeout_s }, limits },
      ...defined({ instructions }),
    }),
  );
}

/** What is wrong with profiles that could not do what the rest of the file says, or not here. */
export function profileProblems(
  profiles: readonly (WorkerProfile & { readonly path?: Path })[],
  settings: Settings,
  reading: Reading,
): readonly Problem[] {
  return profiles.flatMap((profile) => {
    const { agent, limits, path = ['agents', profile.name] } = profile;
    const expected =
      expectedToAsk(settings.permissions, agent) ??
      expectedToCount(settings, agent) ??
      (agent.use === 'command' && limits.tool_calls !== undefined
        ? 'no limit on tool calls, because agent command does not report any'
        : undefined);
    return expected === undefined ? [] : [problemAt(path, expected, reading)];
  });
}

/** The settings of a task or a stage with this agent; its limits only count where they are stricter. */
export function withProfile(settings: Settings, profile: StageAgent | undefined): Settings {
  if (profile === undefined) return settings;
  const { agent, instructions, limits = {} } = profile;
  return {
    ...settings,
    agent,
    ...defined({ instructions }),
    limits: strictest(settings.limits, limits),
  };
}

/** What is wrong with the profile that a task names; undefined if it is there, or none is named. */
export function profileProblem(
  { profiles = [] }: Pick<Settings, 'profiles'>,
  name: string,
): string | undefined {
  if (name === '' || profiles.includes(name)) return undefined;
  return `worker_profile: expected ${expectedProfile(profiles, name)}; received ${JSON.stringify(name)}`;
}

/** The names that there are, the one that was probably meant first. */
function expectedProfile(profiles: readonly string[], name: string): string {
  if (profiles.length === 0) return 'no profile, because the configuration has none under `agents`';
  const all = `one of ${profiles.join(', ')}, the names under \`agents\` of the configuration`;
  return orMeant(name, profiles, all);
}
