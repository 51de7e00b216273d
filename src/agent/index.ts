import { command } from './adapters/command.ts';
import { scripted } from './adapters/scripted.ts';
import type { Adapters } from './port.ts';

export { parseScript, ScriptError } from './adapters/script.ts';
export type {
  Artefact,
  Assignment,
  Tools,
  VerifyOutcome,
  WorkOutcome,
} from './assignment.ts';
export type { Adapters, AgentAdapter, AgentEvent, AgentHost, AgentRun, Outcome, RunSpec } from './port.ts';
export { endLeftovers } from './process/child-registry.ts';
export { promptFor } from './prompts/prompt.ts';
export { redact, redactAll, secretsIn } from './redact.ts';
export type { Machine } from './sandbox/bubblewrap.ts';
export { probeSandbox, type Sandbox } from './sandbox/probe.ts';
export { verify } from './verify.ts';
export { work } from './work.ts';
export { pruneWorkspaces } from './workspace.ts';
export { Workspaces } from './workspaces.ts';

/** Every kind of agent there is. */
export const adapters: Adapters = { command, scripted };
