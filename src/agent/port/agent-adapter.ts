import type { Progress } from '../../steering/shapes/agent-progress.ts';
import type { AskedCall, Failure, Report, ToolCall } from '../../steering/shapes/attempt-result.ts';
import type { Limits } from '../../steering/shapes/limits.ts';
import type { AskedQuestion, QuestionSettings } from '../../steering/shapes/question.ts';
import type { AgentChoice, ProtocolAgent } from '../../steering/shapes/settings.ts';
import type { CallAnswer } from '../../steering/shapes/standing.ts';
import type { SandboxContext } from './sandboxed-run.ts';
import type { PlacedSkill } from './skills.ts';

/** A kind of agent. Its protocol stays behind this interface. */
export interface AgentAdapter<C extends AgentChoice = AgentChoice> {
  start(spec: RunSpec<C>, host: AgentHost): Promise<AgentRun>;
}

/** One adapter for each kind of agent a configuration can choose. */
export interface Adapters {
  readonly command: AgentAdapter<ChoiceOf<'command'>>;
  readonly scripted: AgentAdapter<ChoiceOf<'scripted'>>;
  /** All that speak the Agent Client Protocol. */
  readonly acp: AgentAdapter<ProtocolAgent>;
}

export type ChoiceOf<U extends 'command' | 'scripted'> = Extract<AgentChoice, { use: U }>;

/** What an agent is started with. */
export interface RunSpec<C extends AgentChoice = AgentChoice> {
  readonly agent: C;
  readonly prompt: string;
  /** The images of the task, for agents that take some. */
  readonly images: readonly Image[];
  /** The skills that the configuration names for this agent, as the default branch has them. */
  readonly skills: readonly PlacedSkill[];
  readonly context: SandboxContext;
  /** Which attempt of which run this is. */
  readonly attempt: { readonly run: string; readonly iteration: number; readonly attempt: number };
  readonly timeoutMs: number;
  /** How it may ask people; absent: it gets no way to. */
  readonly questions?: QuestionSettings;
  /** Reads a file of the default branch, where neither the agent nor the run's branch can have changed it. */
  readConfigured(path: string): Promise<string | undefined>;
}

/** An image as it was posted, base64. */
export interface Image {
  readonly mime_type: string;
  readonly data: string;
}

/** What can be done with an agent while it runs. */
export interface AgentRun {
  /** Kills the agent and everything it started; `done` then resolves to `cancelled`. */
  cancel(): Promise<void>;
  /**
   * Ends the agent in order, so that it can put away what it has: what it asked is answered with `cancelled`,
   * its turn is ended, then its input, then its processes, within a bounded time. `done` then resolves to
   * `cancelled`.
   */
  park(): Promise<void>;
  /** Tells the agent something while it works. */
  steer(text: string): Promise<Told>;
  /** Resolves when no process of the agent is left. Rejects only for a fault of ours. */
  readonly done: Promise<Outcome>;
}

/**
 * `injected`: it reads it in the middle of its turn. `restarted_turn`: its turn was cancelled, and it goes on with
 * these words. `unable`: nobody can tell it anything, or it has ended.
 */
export type Told = 'injected' | 'restarted_turn' | 'unable';

export type Outcome =
  /** `said` is all of its last message where the report holds only a part of that. */
  | { readonly kind: 'completed'; readonly report: Report; readonly said?: string }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'failed'; readonly failure: Failure }
  /**
   * Its model has hit its usage limit; `until`, ISO 8601, is when it answers again, as far as that is known.
   */
  | { readonly kind: 'limited'; readonly until: string | null };

/** What an agent may ask of us while it works. */
export interface AgentHost {
  /** Receives what happens, which is written into the attempt's log in this order. */
  event(event: AgentEvent): void;
  /** Asked before a tool call that acts on the world. */
  decide(request: PermissionRequest, signal: AbortSignal): Promise<Permission>;
  /** Puts a question before people. Never rejects; what is wrong with the question is told to the agent. */
  ask(question: QuestionRequest, signal: AbortSignal): Promise<QuestionAnswer>;
}

/** What an agent wants to know, as it says it: nothing of it is checked yet. */
export interface QuestionRequest {
  readonly question: string;
  readonly context?: string;
  readonly options?: readonly string[];
  readonly multiple?: boolean;
  readonly default?: string;
  readonly on_timeout?: string;
}

export type QuestionAnswer =
  | { readonly kind: 'answered'; readonly text: string; readonly by: string }
  /** The agent goes on without an answer; the reason is for it, and says what to do instead. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Nobody has answered yet: the agent is about to be parked, and goes on with the answer later. */
  | { readonly kind: 'parked' };

export type AgentEvent = Readonly<
  | { type: 'text' | 'thought' | 'notice'; text: string }
  | ({ type: 'tool_open'; id: string } & PermissionRequest)
  | {
      type: 'tool_close';
      id: string;
      outcome: ToolCall['outcome'];
      exit_code?: number;
      /** What it did after all, if the agent said something else, or less, when the call began. */
      done?: PermissionRequest;
    }
  /** What the agent has used since its last such event. */
  | { type: 'usage'; tokens?: number; usd?: number }
>;

/** A tool call that an agent does not make without being allowed to. */
export interface PermissionRequest {
  /** The protocol's kind: read, edit, delete, move, search, execute, think, fetch, switch_mode or other. */
  readonly kind: string;
  readonly title: string;
  /** The line of shell, if it is one and the agent names it. */
  readonly command?: string;
  /** The command is only the beginning of a very long one. */
  readonly isCut?: true;
  /** Files that the call names. */
  readonly paths?: readonly string[];
}

export type Permission =
  | { readonly allow: true }
  /**
   * The reason is told to the agent, which goes on without the call: if people said it, also to an agent that
   * goes on by itself.
   */
  | { readonly allow: false; readonly reason: string; readonly byPeople?: true }
  /** Nobody has decided yet: the agent is about to be parked. */
  | { readonly park: true };

/**
 * The reason of a signal by which nobody waits for people any more, while what they were asked stays open: it
 * then counts as `parked`. With any other reason it is withdrawn.
 */
export const parking = 'parking';

/** The run that an attempt belongs to, while its agent works. */
export interface Live {
  /** Puts a tool call before people. `parked`: nobody has answered in time. Never rejects. */
  ask(call: AskedCall, signal: AbortSignal): Promise<CallAnswer | 'parked'>;
  /**
   * Puts a question before people. `parked`: nobody has answered while the agent could be held. Never
   * rejects.
   */
  question(asked: AskedQuestion, signal: AbortSignal): Promise<QuestionAnswer>;
  /** Whether people still have to answer something that the agent of this attempt asked. */
  awaitsAnswer(): boolean;
  /** From now on the agent can be told what people say; returns how to end that. */
  attend(tell: (words: string) => Promise<Told>): () => void;
  /** What it is doing; may be called many times a second. */
  progress(progress: Progress): void;
  /** The rules that people have allowed always in this run. */
  allowedRules(): readonly string[];
  /** The limits of the run as they are now; people can raise them while it works. */
  limits(): Limits;
}
