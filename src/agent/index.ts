import { acpAdapter } from './adapters/acp-agent.ts';
import { command } from './adapters/command-agent.ts';
import { scripted } from './adapters/scripted-agent.ts';
import type { Agents } from './install/agents.ts';
import type { Adapters } from './port/agent-adapter.ts';

export { shortestChoice } from '../profiles/index.ts';
export { secretsIn } from '../text/redact.ts';
export { work } from './attempt/agent-work.ts';
export { baseOf, commitMessage, conflictWith, skipsCi } from './attempt/commits.ts';
export { pruneWorkspaces, removeAside, Workspaces } from './attempt/workspace.ts';
export { type Agents, examineAgent, openAgents } from './install/agents.ts';
export type { Live } from './port/agent-adapter.ts';
export type { AttemptResources, IssueContext } from './port/assignment.ts';
export { type NetworkKit, nodeWithoutProxy, usualKit } from './port/attempt-network.ts';
export { openBaselines } from './port/baselines.ts';
export { shellWord } from './process/child.ts';
export { killOrphans } from './process/child-registry.ts';
export { ReadablePathError, readablePaths } from './readable-paths.ts';
export { userNamed } from './sandbox/privileges.ts';
export { examineSandbox, installSandbox, type MachineSettings, probeSandbox } from './sandbox/probe.ts';
export type { Sandbox } from './sandbox/sandbox.ts';
export { verify, verifyCommit } from './verify-commit.ts';

/** One adapter for each kind of agent. Without `agents` only those on the search path are found. */
export function adaptersWith(agents?: Agents): Adapters {
  return { command, scripted, acp: acpAdapter(undefined, agents) };
}

export const adapters = adaptersWith();
