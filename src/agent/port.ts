import type { Failure, Report } from '../steering/attempt-result.ts';
import type { AgentChoice } from '../steering/settings.ts';
import type { SandboxContext } from './sandboxed-run.ts';

/** A kind of agent. Its protocol stays behind this interface. */
export interface AgentAdapter<C extends AgentChoice = AgentChoice> {
  start(spec: RunSpec<C>, host: AgentHost): Promise<AgentRun>;
}

/** One adapter for each kind of agent a configuration can choose. */
export type Adapters = { readonly [U in AgentChoice['use']]: AgentAdapter<ChoiceOf<U>> };

export type ChoiceOf<U extends AgentChoice['use']> = Extract<AgentChoice, { use: U }>;

/** What an agent is started with. */
export interface RunSpec<C extends AgentChoice = AgentChoice> {
  readonly agent: C;
  readonly prompt: string;
  readonly context: SandboxContext;
  /** Which attempt of which run this is. */
  readonly attempt: { readonly run: string; readonly iteration: number; readonly attempt: number };
  readonly timeoutMs: number;
  /** Reads a file of the default branch, where neither the agent nor the run's branch can have changed it. */
  readConfigured(path: string): Promise<string | undefined>;
}

/** A running agent. */
export interface AgentRun {
  /** Kills the agent and everything it started; `done` then resolves to `cancelled`. */
  cancel(): Promise<void>;
  /** Resolves when no process of the agent is left. Rejects only for a fault of ours. */
  readonly done: Promise<Outcome>;
}

export type Outcome =
  | { readonly kind: 'completed'; readonly report: Report }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** What an agent may ask of us while it works. */
export interface AgentHost {
  /** Written into the attempt's log, in order. */
  event(event: AgentEvent): void;
  /** Asked before a tool call that acts on the world. */
  decide(request: PermissionRequest, signal: AbortSignal): Promise<Permission>;
}

export type AgentEvent =
  | { readonly type: 'text' | 'thought' | 'notice'; readonly text: string }
  | {
      readonly type: 'tool_open';
      readonly id: string;
      readonly kind: string;
      readonly title: string;
      readonly command?: string;
    }
  | {
      readonly type: 'tool_close';
      readonly id: string;
      readonly outcome: 'ok' | 'failed' | 'denied' | 'unknown';
      readonly exit_code?: number;
    }
  /** What the agent has used since its last such event. */
  | { readonly type: 'usage'; readonly tokens?: number; readonly usd?: number };

export interface PermissionRequest {
  readonly kind: string;
  readonly title: string;
  readonly command?: string;
}

export type Permission = { readonly allow: true } | { readonly allow: false; readonly reason: string };
