import { profileNamed } from '../profiles/index.ts';
import { strictest } from '../steering/shapes/limits.ts';
import type { AgentChoice, PermissionSettings, Settings, StageAgent } from '../steering/shapes/settings.ts';
import { exampleOf, problemAt, type Reading } from './problems.ts';
import { type Path, type Problem, pathText } from './schema/config-problem.ts';
import { valueAt } from './schema/document.ts';
import { defined } from './schema/schema-forms.ts';
import { orMeant } from './schema/suggestion.ts';
import type { FromFile } from './schema.ts';

/** An agent for some tasks, which name it under `worker_profile`. */
export interface WorkerProfile extends Pick<Settings, 'instructions'> {
  readonly name: string;
  readonly agent: AgentChoice;
  readonly limits: Partial<Settings['limits']>;
}

/** They come in the order of the file; one without a time limit of its own has that of the usual agent. */
export function profilesFrom({ agents }: FromFile, usual: AgentChoice): WorkerProfile[] {
  return Object.entries(agents).map(
    ([name, { instructions, limits, timeout_s = usual.timeout_s, ...agent }]) => ({
      ...{ name, agent: { ...agent, timeout_s }, limits },
      ...defined({ instructions }),
    }),
  );
}

/** Says what is wrong with profiles that could not do what the rest of the file says, or not here. */
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

/** Says what is wrong with the profile that a task names; undefined if it is there, or none is named. */
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

/**
 * The permissions that this agent would never be asked for, because it does not put such calls before us.
 * They would look like a safeguard, and be none.
 */
export function neverAsked(reading: Reading, agent: AgentChoice): readonly Problem[] {
  const why = whyNotAsked(agent);
  if (why === undefined) return [];
  return pathsOf(reading.document)
    .filter(([path, value]) => value !== 'allow' && !isAsked(agent, path))
    .map(([path]) => ({
      ...problemAt(path, `allow, because ${why}`, reading),
      example: exampleOf(path, 'allow'),
    }));
}

/** Says what an agent chosen for a task would have to be; undefined if this one holds the permissions. */
export function expectedToAsk(
  permissions: PermissionSettings | undefined,
  agent: Pick<AgentChoice, 'use'>,
): string | undefined {
  const why = whyNotAsked(agent);
  if (why === undefined || permissions === undefined) return undefined;
  const { rules, edit, delete: remove, move, execute } = permissions;
  const written = { edit, delete: remove, move, execute, rules };
  const [first] = pathsOf({ permissions: written }).filter(
    ([path, value]) => value !== 'allow' && !isAsked(agent, path),
  );
  if (first === undefined) return undefined;
  return `an agent that asks first, for \`${pathText(first[0])}: ${first[1]}\` of the configuration; ${why}`;
}

/** The limit on tool calls, where nobody tells us of any: it would look like a safeguard, too. */
export function neverCounted(reading: Reading, { use }: AgentChoice): readonly Problem[] {
  const path = ['limits', 'tool_calls'];
  if (use !== 'command' || valueAt(reading.document, path) === undefined) return [];
  return [problemAt(path, 'no such limit, because agent command does not report its tool calls', reading)];
}

/**
 * Says what an agent chosen for a task would have to be; undefined if the limit on tool calls goes on to
 * hold.
 */
export function expectedToCount(
  { agent, limits }: Settings,
  chosen: Pick<AgentChoice, 'use'>,
): string | undefined {
  const isLost = chosen.use === 'command' && agent.use !== 'command' && limits.tool_calls !== undefined;
  return isLost ? 'an agent that reports its tool calls, which are limited' : undefined;
}

/** Undefined if it does ask, or nobody knows. */
function whyNotAsked({ use }: Pick<AgentChoice, 'use'>): string | undefined {
  if (use === 'command') return 'agent command asks for nothing but its own start, as `execute`';
  const { asks = 'every_call', title } = profileNamed(use) ?? {};
  if (asks === 'every_call') return undefined;
  return asks === 'nothing'
    ? `${title} asks for nothing`
    : `${title} runs the commands that its own sandbox allows without asking, whatever they do`;
}

/** Its start is one call, at which the rules look as at any other. */
function isAsked({ use }: Pick<AgentChoice, 'use'>, path: Path): boolean {
  return use === 'command' && (path[1] === 'execute' || path[1] === 'rules');
}

function pathsOf(document: unknown): readonly (readonly [Path, unknown])[] {
  const kinds = ['edit', 'delete', 'move', 'execute'].map((kind) => ['permissions', kind]);
  const rules = Object.keys(Object(valueAt(document, ['permissions', 'rules'])));
  return [...kinds, ...rules.map((rule) => ['permissions', 'rules', rule])]
    .map((path) => [path, valueAt(document, path)] as const)
    .filter(([, value]) => value !== undefined);
}
