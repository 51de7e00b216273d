import type { AgentHost, GateRequest, Permission } from './port.ts';
import type { ReasoningLog } from './reasoning.ts';

/**
 * Kinds of tool calls that only look, and those that change the workspace, where the agent may work
 * (L-16).
 */
const allowed = ['read', 'search', 'think', 'fetch', 'edit', 'delete', 'move', 'execute'];

/** What an agent finds when it turns to us while nobody is there to be asked. */
export function unattendedHost(log: ReasoningLog): AgentHost {
  return {
    event: (event) => log.add(event),
    decide: async (request) => permission(request),
    ask: async () => ({
      kind: 'declined',
      reason: 'nobody can be asked now: state the assumption you make and go on',
    }),
  };
}

function permission({ kind, title }: GateRequest): Permission {
  if (allowed.includes(kind)) return { allow: true };
  return { allow: false, reason: `nobody can be asked whether to allow ${kind}: ${title}` };
}
