import type { ProtocolAgent } from '../../steering/settings.ts';
import type { AgentAdapter } from '../port.ts';

/** Any agent that speaks the Agent Client Protocol. */
export const acp: AgentAdapter<ProtocolAgent> = {
  start: async ({ agent }) => {
    throw new Error(`could not start ${agent.use}: this version has no adapter for it`);
  },
};
