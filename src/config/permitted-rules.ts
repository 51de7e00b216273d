import { callRuleNames, gateRuleNames } from '../steering/gate-rules.ts';
import { valueAt } from './json-schema.ts';
import type { Problem } from './problem.ts';
import { problemAt, type Reading } from './problems.ts';
import type { Written } from './schema.ts';
import { suggestionFor } from './suggestion.ts';

/** Rules that are named under `permissions.rules`, but can never match a tool call. */
export function neverMatching({ gates }: Written, reading: Reading): readonly Problem[] {
  const written = valueAt(reading.document, ['permissions', 'rules']);
  if (typeof written !== 'object' || written === null) return [];
  const own = gates.rules.filter(({ command }) => command !== undefined).map(({ name }) => name);
  const known: readonly string[] = [...callRuleNames, ...own];
  return Object.keys(written)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const problem = problemAt(['permissions', 'rules', name], expectedFor(name, gates, known), reading);
      return { ...problem, received: `the rule ${JSON.stringify(name)}` };
    });
}

function expectedFor(name: string, { rules }: Written['gates'], known: readonly string[]): string {
  if (rules.some((rule) => rule.name === name))
    return `a rule with a \`command\`: ${name} reads changed files, which agents need not ask about`;
  if (gateRuleNames.some((rule) => rule === name))
    return `a rule on tool calls: ${name} judges the whole change, when the agent has finished`;
  const meant = suggestionFor(name, known);
  const all = `one of ${known.join(', ')}, or a rule with a \`command\` under gates.rules`;
  return meant === undefined ? all : `${meant} (did you mean that?), or ${all}`;
}
