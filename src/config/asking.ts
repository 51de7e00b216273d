import { profileNamed } from '../profiles/index.ts';
import type { AgentChoice, PermissionSettings, Settings } from '../steering/shapes/settings.ts';
import { exampleOf, problemAt, type Reading } from './problems.ts';
import { valueAt } from './schema/json-schema.ts';
import { type Path, type Problem, pathText } from './schema/problem.ts';

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

/** What an agent chosen for a task would have to be; undefined if this one holds the permissions. */
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

/** What an agent chosen for a task would have to be; undefined if the limit on tool calls goes on to hold. */
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
