import { appendFile, rm, writeFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import type { Report, ToolCall } from '../../steering/evidence.ts';
import type { AgentHost } from '../port.ts';
import { type Room, runShell } from '../sandboxed-run.ts';
import { placeInside } from './safe-path.ts';
import type { Step, StepOf } from './script.ts';

/** Where a script is played. */
export interface Stage {
  readonly room: Room;
  readonly host: AgentHost;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** What came of a step. */
export type Taken =
  | { readonly kind: 'said'; readonly text: string }
  | { readonly kind: 'called'; readonly call: ToolCall }
  | { readonly kind: 'reported'; readonly report: Partial<Report> }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'waited' };

type Call = Omit<ToolCall, 'outcome'>;

interface Done {
  readonly outcome: ToolCall['outcome'];
  readonly exit_code?: number;
}

const ok: Done = { outcome: 'ok' };

/** Does one step of a script. */
export async function take(step: Step, stage: Stage): Promise<Taken> {
  if ('say' in step) return say(step.say, stage);
  if ('wait' in step) return pause(step.wait, stage);
  if ('fail' in step) return { kind: 'failed', message: step.fail };
  if ('report' in step) return { kind: 'reported', report: step.report };
  if ('run' in step) return run(step, stage);
  if ('delete' in step) return remove(step, stage);
  return write(step, stage);
}

async function pause(milliseconds: number, { signal }: Stage): Promise<Taken> {
  await setTimeout(milliseconds, undefined, { signal });
  return { kind: 'waited' };
}

function say(text: string, { host }: Stage): Taken {
  host.event({ type: 'text', text: `${text}\n` });
  return { kind: 'said', text };
}

function write(step: StepOf<'write'> | StepOf<'append'>, stage: Stage): Promise<Taken> {
  const [path, put] = 'write' in step ? [step.write, writeFile] : [step.append, appendFile];
  return asTool({ kind: 'edit', title: `Edit ${path}` }, stage, async () => {
    await put(await placeInside(stage.room.workspace, path), step.content);
    return ok;
  });
}

function remove({ delete: path }: StepOf<'delete'>, stage: Stage): Promise<Taken> {
  return asTool({ kind: 'delete', title: `Delete ${path}` }, stage, async () => {
    await rm(await placeInside(stage.room.workspace, path), { recursive: true, force: true });
    return ok;
  });
}

function run({ run: line }: StepOf<'run'>, stage: Stage): Promise<Taken> {
  return asTool({ kind: 'execute', title: line, command: line }, stage, async () => {
    const { room, timeoutMs, signal, host } = stage;
    const ended = await runShell(room, line, { timeoutMs, signal });
    host.event({ type: 'text', text: ended.stdout + ended.stderr });
    const exit_code = ended.end === 'exited' ? ended.exitCode : -1;
    return { outcome: exit_code === 0 ? 'ok' : 'failed', exit_code };
  });
}

/** Asks before, tells before and after, as an agent's tools do. */
async function asTool(call: Call, { host, signal }: Stage, act: () => Promise<Done>): Promise<Taken> {
  const permission = await host.decide(call, signal);
  const id = call.title;
  host.event({ type: 'tool_open', id, ...call });
  const done = permission.allow ? await act() : ({ outcome: 'denied' } as const);
  host.event({ type: 'tool_close', id, ...done });
  return { kind: 'called', call: { ...call, outcome: done.outcome } };
}
