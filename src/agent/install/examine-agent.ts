import { profileOf } from '../../profiles/index.ts';
import type { ProtocolAgent } from '../../steering/settings.ts';
import { agentsOnPath, openAgents, type Ready } from './agents.ts';

/** Whether an agent is on the search path and tells its version; installs nothing. */
export function examineAgent(choice: ProtocolAgent, workRoot: string): Promise<Ready> {
  return openAgents(agentsOnPath).ready(profileOf(choice), { workRoot, command: choice.command });
}
