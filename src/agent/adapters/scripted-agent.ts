import { once } from 'node:events';
import { appendFile, lstat, mkdir, realpath, rm, writeFile } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Report, ToolCall } from '../../steering/shapes/attempt-result.ts';
import type { AgentHost, ChoiceOf, Outcome, RunSpec } from '../port/agent-adapter.ts';
import { runShell, type SandboxContext } from '../port/sandboxed-run.ts';
import { deafAdapter, failed } from './process-failure.ts';
import { parseScript, type Script, ScriptError, type Step, type StepOf } from './script.ts';

type Choice = ChoiceOf<'scripted'>;

/** Plays a script of the default branch instead of a model, for demos and tests; all else is real. */
export const scripted = deafAdapter<Choice>(play);

async function play(spec: RunSpec<Choice>, host: AgentHost, cancelled: AbortSignal): Promise<Outcome> {
  const overdue = AbortSignal.timeout(spec.timeoutMs);
  const playback: Playback = {
    context: spec.context,
    host,
    prompt: spec.prompt,
    signal: AbortSignal.any([cancelled, overdue]),
    timeoutMs: spec.timeoutMs,
  };
  try {
    return await playTurn(await readScript(spec), spec, playback);
  } catch (cause) {
    if (cancelled.aborted) return { kind: 'cancelled' };
    if (overdue.aborted)
      return failed('timeout', `the script did not finish within ${spec.timeoutMs / 1000} s`);
    if (cause instanceof ScriptError) return failed('incoherent_report', cause.message);
    if (cause instanceof PathEscapeError) return failed('exit', cause.message);
    throw new Error(`could not play the script ${spec.agent.script}`, { cause });
  }
}

async function readScript({ agent, readConfigured }: RunSpec<Choice>): Promise<Script> {
  const text = await readConfigured(agent.script);
  if (text !== undefined) return parseScript(text, agent.script);
  throw new ScriptError(
    `the script ${agent.script} is not on the default branch; agent.script names its path there`,
  );
}

/** The first turn whose conditions are all met. */
function turnFor({ turns }: Script, spec: RunSpec<Choice>): readonly Step[] {
  const { agent, attempt } = spec;
  const turn = turns.find(({ on }) => isMet(on, spec));
  if (turn !== undefined) return turn.steps;
  const position = `iteration ${attempt.iteration}, attempt ${attempt.attempt}`;
  throw new ScriptError(
    `the script ${agent.script} has no turn for ${position}; a turn without \`on\` matches every attempt`,
  );
}

function isMet(
  { iteration, attempt: number, prompt: words = [] }: Script['turns'][number]['on'],
  spec: RunSpec<Choice>,
): boolean {
  const { attempt, prompt } = spec;
  const isAttempt =
    (iteration ?? attempt.iteration) === attempt.iteration && (number ?? attempt.attempt) === attempt.attempt;
  return isAttempt && words.every((each) => prompt.toLowerCase().includes(each.toLowerCase()));
}

/** An answer while the agent is held leads to the turn that would go on with it later, if there is one. */
async function playTurn(
  script: Script,
  spec: RunSpec<Choice>,
  playback: Playback,
  before: Report = { summary: '', status: 'done', tool_calls: [] },
): Promise<Outcome> {
  const steps = turnFor(script, spec);
  let report = before;
  for (const step of steps) {
    playback.signal.throwIfAborted();
    const result = await performStep(step, playback);
    if (result.kind === 'failed') return failed('exit', result.message);
    if (result.kind === 'said') report = { ...report, summary: result.text };
    if (result.kind === 'called') report = { ...report, tool_calls: [...report.tool_calls, result.call] };
    if (result.kind === 'reported') report = { ...report, ...result.report };
    if (result.kind !== 'answered') continue;
    const told = { ...spec, prompt: `${spec.prompt}\n\n${answered(result.text)}` };
    if (turnFor(script, told) !== steps) return playTurn(script, told, playback, report);
  }
  playback.signal.throwIfAborted();
  return { kind: 'completed', report };
}

/** Says it in the words in which a prompt would. */
function answered(text: string): string {
  return `You previously asked. The user responded: "${text}".`;
}

/** What playing a script needs. */
interface Playback {
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

interface ToolResult {
  readonly outcome: ToolCall['outcome'];
  readonly exit_code?: number;
}

const ok: ToolResult = { outcome: 'ok' };

/** Does one step of a script. */
async function performStep(step: Step, playback: Playback): Promise<StepResult> {
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
  call: Omit<ToolCall, 'outcome'>,
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

/** A path that leads out of the workspace. */
class PathEscapeError extends Error {
  override name = 'PathEscapeError';
}

/**
 * The absolute path of a path in the workspace; missing parent folders are created.
 * Throws `PathEscapeError` for a path that leads out of the workspace, by `..` or through a symbolic link,
 * or into `.git`.
 */
async function resolveInside(workspace: string, path: string): Promise<string> {
  const resolved = join(workspace, path);
  const parts = relative(workspace, resolved).split(sep);
  if (isAbsolute(path) || parts[0] === '..' || parts[0] === '') throw outside(path);
  if (parts.some((part) => part.toLowerCase() === '.git')) throw outside(path);
  let folder = await realpath(workspace);
  for (const part of parts.slice(0, -1)) {
    folder = join(folder, part);
    await refuseLink(folder, path);
    await mkdir(folder).catch(ignoreExisting);
  }
  await refuseLink(resolved, path);
  return join(folder, parts.at(-1) ?? '');
}

async function refuseLink(resolved: string, path: string): Promise<void> {
  const found = await lstat(resolved).catch(ignoreMissing);
  if (found?.isSymbolicLink()) throw outside(path);
}

function outside(path: string): PathEscapeError {
  return new PathEscapeError(`the path ${path} leads out of the workspace, through a link, or into .git`);
}

function ignoreExisting(cause: NodeJS.ErrnoException): void {
  if (cause.code !== 'EEXIST') throw new Error('could not create a folder in the workspace', { cause });
}

function ignoreMissing(cause: NodeJS.ErrnoException): undefined {
  if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return undefined;
  throw new Error('could not read the workspace', { cause });
}
