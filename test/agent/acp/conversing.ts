import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Patience, usualPatience } from '../../../src/agent/acp/agent-session.ts';
import { acpAdapter } from '../../../src/agent/adapters/acp-agent.ts';
import { openWorkspace } from '../../../src/agent/attempt/workspace.ts';
import type {
  AgentEvent,
  AgentRun,
  Image,
  Permission,
  PermissionRequest,
  QuestionAnswer,
  QuestionRequest,
} from '../../../src/agent/port/agent-adapter.ts';
import { seenBy } from '../../../src/agent/port/sandboxed-run.ts';
import type { Sandbox } from '../../../src/agent/sandbox/sandbox.ts';
import type { QuestionSettings } from '../../../src/steering/shapes/question.ts';
import type { ProtocolAgent } from '../../../src/steering/shapes/settings.ts';
import { agentFixture, default_branch, hold, put } from '../agent-fixture.ts';
import { settingsOf, stateOf } from '../states.ts';

/** A line of a recording: a message, or something that only a broken agent does. */
export type Line = Message | { readonly do: string; readonly [key: string]: unknown };

export interface Message {
  readonly from: 'agent' | 'client';
  readonly message: Readonly<Record<string, unknown>>;
}

interface Options {
  readonly agent?: Partial<ProtocolAgent>;
  readonly patience?: Partial<Patience>;
  readonly sandbox?: Sandbox;
  readonly prompt?: string;
  readonly images?: readonly Image[];
  /** With these it gets our tool. */
  readonly questions?: QuestionSettings;
  readonly timeoutMs?: number;
  /** Written into the workspace by the branch. */
  readonly files?: Readonly<Record<string, string>>;
  /** What setup left in the home. */
  prepareHome?(home: string): void;
  /** What people answer to questions; without it, nobody can be asked. */
  ask?(question: QuestionRequest, signal: AbortSignal): Promise<QuestionAnswer>;
  decide?(request: PermissionRequest, signal: AbortSignal): Promise<Permission>;
}

export interface Conversing {
  readonly run: AgentRun;
  readonly events: readonly AgentEvent[];
  readonly asked: readonly PermissionRequest[];
  readonly workspace: string;
  /** The workspace as the agent sees it. */
  readonly seen: string;
  readonly home: string;
  /** What the agent was told, message by message. */
  heard(): readonly Heard[];
}

export interface Heard {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly prompt?: readonly { text?: string; type: string }[]; [key: string]: unknown };
  readonly result?: unknown;
  readonly error?: { readonly code: number };
}

/** Plays the recording that is its argument. */
export const program = readFileSync(new URL('programs/replaying-agent.mjs', import.meta.url), 'utf8');

/** Starts an agent that plays these lines, and its adapter. It is gone when the test is. */
export async function converse(lines: readonly Line[], options: Options = {}): Promise<Conversing> {
  const { sandbox, files = {}, timeoutMs = 20_000 } = options;
  const recording = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const on = await agentFixture(files, sandbox && { sandbox });
  const agent: ProtocolAgent = {
    use: 'acp',
    command: ['node', 'a.mjs', 'r'],
    timeout_s: 20,
    ...options.agent,
  };
  const state = stateOf({ head: on.head, settings: settingsOf({ agent }) });
  const { context, remove } = await openWorkspace(
    { state, hold, commit: on.head, default_branch },
    on.resources,
  );
  onTestFinished(remove);
  // Recordings name the folder that they were made in like this.
  const played = recording.replaceAll('/workspace', seenBy(context).workspace);
  put(context.workspace, { 'a.mjs': program, r: played });
  options.prepareHome?.(context.home);
  const events: AgentEvent[] = [];
  const asked: PermissionRequest[] = [];
  const allow = async (): Promise<Permission> => ({ allow: true });
  const run = await acpAdapter({ ...usualPatience, ...options.patience }).start(
    {
      ...{
        agent,
        prompt: options.prompt ?? 'Fix the sum',
        images: options.images ?? [],
        skills: [],
        context,
        timeoutMs,
      },
      ...(options.questions && { questions: options.questions }),
      attempt: { run: 'acme/sums#7', iteration: 0, attempt: 1 },
      readConfigured: async () => undefined,
    },
    {
      event: (event) => void events.push(event),
      decide: (request, signal) => {
        asked.push(request);
        return (options.decide ?? allow)(request, signal);
      },
      ask: options.ask ?? (async () => ({ kind: 'refused', reason: 'nobody can be asked' })),
    },
  );
  onTestFinished(() => run.cancel().catch(() => undefined));
  const { workspace, home } = context;
  const seen = seenBy(context).workspace;
  return { run, events, asked, workspace, seen, home, heard: () => readHeard(join(workspace, 'r.heard')) };
}

function readHeard(path: string): readonly Heard[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

export const session = 's1';

export function says(method: string, params: object, id?: number): Line {
  return { from: 'agent', message: { jsonrpc: '2.0', ...(id !== undefined && { id }), method, params } };
}

export function waitsFor(method: string, id?: string): Line {
  return { from: 'client', message: { ...(id !== undefined && { id }), method } };
}

export function answers(id: string, result: object): Line {
  return { from: 'agent', message: { jsonrpc: '2.0', id, result } };
}

export function fails(id: string, error: { code: number; message: string; data?: unknown }): Line {
  return { from: 'agent', message: { jsonrpc: '2.0', id, error } };
}

/** From the start to the first prompt. */
export function opening(able: object = {}, made: object = {}): readonly Line[] {
  return [
    waitsFor('initialize', 'i'),
    answers('i', { protocolVersion: 1, ...able }),
    waitsFor('session/new', 'n'),
    answers('n', { sessionId: session, ...made }),
  ];
}

/** A prompt, what the agent does, and why it stops. */
export function turn(does: readonly Line[], stopReason = 'end_turn', more: object = {}): readonly Line[] {
  return [waitsFor('session/prompt', 'p'), ...does, answers('p', { stopReason, ...more })];
}

export function updates(update: object): Line {
  return says('session/update', { sessionId: session, update });
}

export function speaks(text: string): Line {
  return updates({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
}

/** A call of a tool that edits a file: its beginning and its end. */
export function began(id: string, more: object = {}): Line {
  return updates({ sessionUpdate: 'tool_call', toolCallId: id, title: 'Edit a.txt', kind: 'edit', ...more });
}

export function ended(id: string, status = 'completed', more: object = {}): Line {
  return updates({ sessionUpdate: 'tool_call_update', toolCallId: id, status, ...more });
}

/** A call of a tool that runs a command. */
export function execute(id: string, command: string) {
  return { toolCallId: id, title: command, kind: 'execute', rawInput: { command } };
}

export const options = [
  { optionId: 'always', name: 'Always', kind: 'allow_always' },
  { optionId: 'once', name: 'Once', kind: 'allow_once' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
];

/** Asks to be allowed a call. */
export function asks(id: number, toolCall: object, offered: readonly object[] = options): Line {
  return says('session/request_permission', { sessionId: session, toolCall, options: offered }, id);
}

/** Waits for the answer to a request. */
export function hears(id: number, result?: object): Line {
  return { from: 'client', message: { id, ...(result && { result }) } };
}
