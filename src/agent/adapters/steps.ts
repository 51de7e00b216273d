import { once } from 'node:events';
import { appendFile, rm, writeFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import type { Report, ToolCall } from '../../steering/shapes/attempt-result.ts';
import type { AgentHost } from '../port/agent.ts';
import { runShell, type SandboxContext } from '../port/sandboxed-run.ts';
import { resolveInside } from './safe-path.ts';
import type { Step, StepOf } from './script.ts';

/** What playing a script needs. */
export interface Playback {
  readonly context: SandboxContext;
  readonly host: AgentHost;
  /** What the agent was asked to do. */
  readonly prompt: string;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** How a step ended. */
type StepResult = Readonly<
  | { kind: 'said'; text: string }
  | { kind: 'called'; call: ToolCall }
  | { kind: 'reported'; report: Partial<Report> }
  | { kind: 'failed'; message: string }
  | { kind: 'answered'; text: string }
  | { kind: 'waited' }
>;

type Call = Omit<ToolCall, 'outcome'>;

interface ToolResult {
  readonly outcome: ToolCall['outcome'];
  readonly exit_code?: number;
}

const ok: ToolResult = { outcome: 'ok' };

/** Does one step of a script. */
export async function performStep(step: Step, playback: Playback): Promise<StepResult> {
  if ('say' in step) return say(step, playback);
  if ('ask' in step) return ask(step, playback);
  if ('wait' in step) return wait(step.wait, playback);
  if ('fail' in step) return { kind: 'failed', message: step.fail };
  if ('report' in step) return { kind: 'reported', report: step.report };
  if ('run' in step) return run(step, playback);
  if ('delete' in step) return remove(step, playback);
  return write(step, playback);
}

/** It is about to be parked. */
async function stopped(signal: AbortSignal): Promise<never> {
  while (!signal.aborted) await once(signal, 'abort');
  throw new Error('the script was stopped', { cause: signal.reason });
}

/** An answer that comes while it is held is said, as a model would read it; else it is stopped here. */
async function ask({ ask: question, ...more }: StepOf<'ask'>, playback: Playback): Promise<StepResult> {
  const { host, signal } = playback;
  const answer = await host.ask({ question, ...more }, signal);
  if (answer.kind === 'parked') return stopped(signal);
  if (answer.kind === 'answered') return answer;
  host.event({ type: 'text', text: `${answer.reason}\n` });
  return { kind: 'waited' };
}

async function wait(milliseconds: number, { signal }: Playback): Promise<StepResult> {
  await setTimeout(milliseconds, undefined, { signal });
  return { kind: 'waited' };
}

function say({ say: words, quote }: StepOf<'say'>, { host, prompt }: Playback): StepResult {
  const quoted = quote === undefined ? '' : sectionIn(prompt, quote);
  if (quoted === undefined) return { kind: 'failed', message: `the prompt has no section "${quote}"` };
  const text = quoted === '' ? words : `${words}\n\n${quoted.replace(/^/gm, '> ')}`;
  host.event({ type: 'text', text: `${text}\n` });
  return { kind: 'said', text };
}

/** What is below a heading of the prompt, up to the next one; undefined if it has no such heading. */
function sectionIn(prompt: string, heading: string): string | undefined {
  const lines = prompt.split('\n');
  const start = lines.findIndex((line) => /^#+ /.test(line) && line.replace(/^#+ /, '') === heading);
  if (start < 0) return undefined;
  const below = lines.slice(start + 1);
  const end = below.findIndex((line) => /^#+ /.test(line));
  return below
    .slice(0, end < 0 ? undefined : end)
    .join('\n')
    .trim();
}

function write(step: StepOf<'write'> | StepOf<'append'>, playback: Playback): Promise<StepResult> {
  const [path, put] = 'write' in step ? [step.write, writeFile] : [step.append, appendFile];
  return asToolCall({ kind: 'edit', title: `Edit ${path}` }, playback, async () => {
    await put(await resolveInside(playback.context.workspace, path), step.content);
    return ok;
  });
}

function remove({ delete: path }: StepOf<'delete'>, playback: Playback): Promise<StepResult> {
  return asToolCall({ kind: 'delete', title: `Delete ${path}` }, playback, async () => {
    await rm(await resolveInside(playback.context.workspace, path), { recursive: true, force: true });
    return ok;
  });
}

function run({ run: line }: StepOf<'run'>, playback: Playback): Promise<StepResult> {
  return asToolCall({ kind: 'execute', title: line, command: line }, playback, async () => {
    const { context, timeoutMs, signal, host } = playback;
    const result = await runShell(context, line, { use: 'agent', timeoutMs, signal });
    host.event({ type: 'text', text: result.stdout + result.stderr });
    const exit_code = result.end === 'exited' ? result.exitCode : -1;
    return { outcome: exit_code === 0 ? 'ok' : 'failed', exit_code };
  });
}

/** Asks for permission and logs the call and its outcome, as a real agent's tool calls do. */
async function asToolCall(
  call: Call,
  { host, signal }: Playback,
  act: () => Promise<ToolResult>,
): Promise<StepResult> {
  const permission = await host.decide(call, signal);
  if ('park' in permission) return stopped(signal);
  const id = call.title;
  host.event({ type: 'tool_open', id, ...call });
  const done = permission.allow ? await act() : ({ outcome: 'denied' } as const);
  host.event({ type: 'tool_close', id, ...done });
  return { kind: 'called', call: { ...call, outcome: done.outcome } };
}
