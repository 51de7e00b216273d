import { acpAdapter } from './adapters/acp.ts';
import { command } from './adapters/command.ts';
import { scripted } from './adapters/scripted.ts';
import type { Agents } from './install/agents.ts';
import type { Adapters } from './port/agent.ts';

export { shortestChoice } from '../profiles/index.ts';
export { secretsIn } from '../text/redact.ts';
export { commitMessage, skipsCi } from './attempt/commit.ts';
export { conflictWith } from './attempt/merging.ts';
export { work } from './attempt/work.ts';
export { pruneWorkspaces, removeAside } from './attempt/workspace.ts';
export { type Agents, examineAgent, openAgents } from './install/agents.ts';
export type { AttemptResources } from './port/assignment.ts';
export { type NetworkKit, usualKit } from './port/attempt-network.ts';
export { openBaselines } from './port/baselines.ts';
export type { IssueContext } from './port/issue-context.ts';
export type { Live } from './port/live.ts';
export { nodeWithoutProxy } from './port/node-notice.ts';
export { quoted as shellWord } from './port/shell-line.ts';
export { killOrphans } from './process/registry.ts';
export { baseOf } from './proof/compared.ts';
export { ReadablePathError, readablePaths } from './readable-paths.ts';
export { installSandbox } from './sandbox/install.ts';
export { examineSandbox, type MachineSettings, probeSandbox } from './sandbox/probe.ts';
export type { Sandbox } from './sandbox/sandbox.ts';
export { userNamed } from './sandbox/user.ts';
export { verify, verifyCommit } from './verify.ts';
export { Workspaces } from './workspaces.ts';

/** One adapter for each kind of agent. Without `agents` only those on the search path are found. */
export function adaptersWith(agents?: Agents): Adapters {
  return { command, scripted, acp: acpAdapter(undefined, agents) };
}

export const adapters = adaptersWith();
