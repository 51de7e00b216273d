import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { z } from 'zod';
import { agentPaths } from '../../profiles/index.ts';
import type { Report } from '../../steering/shapes/attempt-result.ts';
import { endingOf } from '../../text/characters.ts';
import type { AgentHost, ChoiceOf, Outcome, PermissionRequest, RunSpec } from '../port/agent-adapter.ts';
import { promptFile, reportFile, runSandboxed, type SandboxContext, seenBy } from '../port/sandboxed-run.ts';
import { lineOf, type ProcessResult } from '../process/child.ts';
import { deafAdapter, failed, launched, processFailure, tailOf } from './process-failure.ts';

type Choice = ChoiceOf<'command'>;

/**
 * Any program: it gets the prompt on stdin and the workspace as its working directory, may write a report,
 * and succeeds by its exit code.
 */
export const command = deafAdapter<Choice>(execute);

async function execute(spec: RunSpec<Choice>, host: AgentHost, signal: AbortSignal): Promise<Outcome> {
  const { context, agent, prompt, timeoutMs } = spec;
  const allowed = await host.decide(callOf(agent), signal);
  if ('park' in allowed) return { kind: 'cancelled' };
  if (!allowed.allow) return failed('exit', `the agent was not allowed to start: ${allowed.reason}`);
  const program = {
    argv: launched(agent.command),
    use: 'agent' as const,
    command: agent.command.join(' '),
    input: prompt,
    timeoutMs,
    confinement: { masked: agentPaths.workspace, namespaces: true },
    env: agentEnvironment(spec),
    onOutput: (text: string) => host.event({ type: 'text', text }),
  };
  const result = await runSandboxed(context, program, signal);
  if (result.end === 'cancelled') return { kind: 'cancelled' };
  const name = `\`${agent.command.join(' ')}\``;
  const failure = processFailure(result, { name, notFound: notFound(agent), timeoutMs });
  return failure === null ? outcomeByReport(result, context) : { kind: 'failed', failure };
}

/** The whole of it is one call: what it does by itself nobody is asked about. */
function callOf({ command }: Choice): PermissionRequest {
  const line = lineOf(command);
  return { kind: 'execute', title: line, command: line };
}

function agentEnvironment({ context, attempt }: RunSpec<Choice>): Readonly<Record<string, string>> {
  return {
    ...context.agentEnvironment,
    ...context.network.modelVariables,
    COXSWAIN_PROMPT_FILE: promptFile(seenBy(context)),
    COXSWAIN_REPORT_FILE: reportFile(seenBy(context)),
    COXSWAIN_RUN: attempt.run,
    COXSWAIN_ITERATION: String(attempt.iteration),
    COXSWAIN_ATTEMPT: String(attempt.attempt),
  };
}

function notFound({ command: [program = ''] }: Choice): string {
  return (
    `the agent \`${program}\` was not found: it is configured under \`agent.command\`` +
    ' in .github/coxswain.yml and must be on the search path or, with a slash in its name, in the repository'
  );
}

async function outcomeByReport(result: ProcessResult, context: SandboxContext): Promise<Outcome> {
  const read = await readReport(reportFile(context));
  if (read.kind === 'incoherent') {
    return failed('incoherent_report', `the agent's report could not be understood: ${read.why}`);
  }
  if (read.kind === 'report') return { kind: 'completed', report: read.report };
  return { kind: 'completed', report: unreported(result), said: endingOf(result.stdout.trim(), maxSaid) };
}

const maxSaid = 100_000;

function unreported({ stdout }: ProcessResult): Report {
  return { summary: tailOf(stdout), status: 'done', tool_calls: [] };
}

const shortText = z.string().max(10_000);

const toolCall = z.object({
  kind: shortText,
  title: shortText,
  command: z.exactOptional(shortText),
  outcome: z.enum(['ok', 'failed', 'denied', 'unknown']),
});

/** The JSON an agent may write to `COXSWAIN_REPORT_FILE`; unknown keys are ignored. */
const reportSchema = z.object({
  summary: shortText,
  status: z.enum(['done', 'uncertain', 'cannot']),
  tool_calls: z.array(toolCall).max(10_000).default([]),
  question: z.exactOptional(shortText),
});

/** Part of a report, as a script gives it: keys that are left out keep their value. */
export const partialReportSchema = z.strictObject({
  summary: z.exactOptional(shortText),
  status: z.exactOptional(reportSchema.shape.status),
  tool_calls: z.exactOptional(z.array(toolCall)),
  question: z.exactOptional(shortText),
});

type ReportRead =
  | { readonly kind: 'none' }
  | { readonly kind: 'report'; readonly report: Report }
  | { readonly kind: 'incoherent'; readonly why: string };

const maxBytes = 1024 * 1024;

const example = '{"summary": "Fixed the sum", "status": "done", "tool_calls": []}';

/**
 * Reads the report that an agent wrote. The path is untrusted: it may be a symlink, a FIFO or a huge file.
 */
async function readReport(path: string): Promise<ReportRead> {
  const text = await readPlainFile(path);
  if (text === undefined) return { kind: 'none' };
  if (text.length > maxBytes) return incoherent(`it is longer than ${maxBytes} bytes`);
  try {
    return { kind: 'report', report: reportSchema.parse(JSON.parse(text)) };
  } catch (cause) {
    if (cause instanceof SyntaxError) return incoherent(`it is not JSON: ${cause.message}`);
    if (cause instanceof z.ZodError) return incoherent(z.prettifyError(cause));
    throw cause;
  }
}

function incoherent(why: string): ReportRead {
  return { kind: 'incoherent', why: `${why}; expected something like ${example}` };
}

const notPlain = '(not a plain file)';

/**
 * Never follows a link, waits for a writer or reads beyond the limit. Undefined when there is no file.
 */
async function readPlainFile(path: string): Promise<string | undefined> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags).catch(unreadable);
  if (file === undefined || file === notPlain) return file;
  try {
    if (!(await file.stat()).isFile()) return notPlain;
    const buffer = Buffer.alloc(maxBytes + 1);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** ELOOP: it is a symbolic link, which counts as no report. ENXIO: it is a socket. */
function unreadable(cause: NodeJS.ErrnoException): undefined | typeof notPlain {
  if (cause.code === 'ENOENT' || cause.code === 'ELOOP') return undefined;
  if (cause.code === 'ENXIO' || cause.code === 'EACCES') return notPlain;
  throw new Error("could not read the agent's report", { cause });
}
