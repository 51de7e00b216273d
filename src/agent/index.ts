import { command } from './adapters/command.ts';
import { scripted } from './adapters/scripted.ts';
import type { Adapters } from './port.ts';

export { secretsIn } from '../text/redact.ts';
export type { AttemptResources } from './assignment.ts';
export { killOrphans } from './process/child-registry.ts';
export { installSandbox } from './sandbox/install.ts';
export { probeSandbox, type Sandbox } from './sandbox/probe.ts';
export { verify } from './verify.ts';
export { work } from './work.ts';
export { pruneWorkspaces } from './workspace.ts';
export { Workspaces } from './workspaces.ts';

/** One adapter for each kind of agent. */
export const adapters: Adapters = { command, scripted };
