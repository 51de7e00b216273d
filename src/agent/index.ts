import { acpAdapter } from './adapters/acp.ts';
import { command } from './adapters/command.ts';
import { scripted } from './adapters/scripted.ts';
import type { Agents } from './install/agents.ts';
import type { Adapters } from './port.ts';

export { shortestChoice } from '../profiles/index.ts';
export { secretsIn } from '../text/redact.ts';
export type { AttemptResources } from './assignment.ts';
export { type NetworkKit, usualKit } from './attempt-network.ts';
export { commitMessage, skipsCi } from './commit.ts';
export { type Agents, examineAgent, openAgents } from './install/agents.ts';
export type { IssueContext } from './issue-context.ts';
export type { Live } from './live.ts';
export { conflictWith } from './merging.ts';
export { nodeWithoutProxy } from './node-notice.ts';
export { killOrphans } from './process/registry.ts';
export { openBaselines } from './proof/baselines.ts';
export { baseOf } from './proof/compared.ts';
export { ReadablePathError, readablePaths } from './readable-paths.ts';
export { installSandbox } from './sandbox/install.ts';
export { examineSandbox, type MachineSettings, probeSandbox } from './sandbox/probe.ts';
export type { Sandbox } from './sandbox/sandbox.ts';
export { userNamed } from './sandbox/user.ts';
export { quoted as shellWord } from './shell-line.ts';
export { verify, verifyCommit } from './verify.ts';
export { work } from './work.ts';
export { pruneWorkspaces, removeAside } from './workspace.ts';
export { Workspaces } from './workspaces.ts';

/** One adapter for each kind of agent. Without `agents` only those on the search path are found. */
export function adaptersWith(agents?: Agents): Adapters {
  return { command, scripted, acp: acpAdapter(undefined, agents) };
}

export const adapters = adaptersWith();
