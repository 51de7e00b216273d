import type { AgentChoice } from '../shapes/settings.ts';
import type { State } from '../state/state.ts';

/**
 * Which agent it is, for what is known of its former work: the profile, and the program where the
 * configuration names one. A model or an effort does not make another agent.
 */
export function agentName({ use, ...choice }: AgentChoice): string {
  if ('script' in choice || choice.command === undefined) return use;
  return `${use}: ${[...JSON.stringify(choice.command)].slice(0, maxCommand).join('')}`;
}

const maxCommand = 200;

/** The agents that have worked, with the one that begins an attempt now. */
export function withAgent({
  agents = [],
  settings,
}: Pick<State, 'agents' | 'settings'>): Pick<State, 'agents'> {
  const name = agentName(settings.agent);
  return { agents: agents.includes(name) ? agents : [...agents, name].slice(-maxAgents) };
}

const maxAgents = 20;
