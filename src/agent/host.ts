import type { AgentHost, Permission, PermissionRequest } from './port.ts';
import type { ReasoningLog } from './reasoning.ts';

/**
 * Kinds of tool calls that only read, and those that change the workspace, where the agent may do anything.
 */
const allowed = ['read', 'search', 'think', 'fetch', 'edit', 'delete', 'move', 'execute'];

/** Answers an agent's requests while no human can be asked. */
export function unattendedHost(log: ReasoningLog): AgentHost {
  return {
    event: (event) => log.add(event),
    decide: async (request) => permission(request),
  };
}

function permission({ kind, title }: PermissionRequest): Permission {
  if (allowed.includes(kind)) return { allow: true };
  return { allow: false, reason: `no human can be asked to allow ${kind}: ${title}` };
}
