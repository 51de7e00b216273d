import { agentPaths } from '../../profiles/index.ts';
import type { Report } from '../../steering/shapes/attempt-result.ts';
import { endingOf } from '../../text/cut.ts';
import type { AgentHost, ChoiceOf, Outcome, PermissionRequest, RunSpec } from '../port/agent.ts';
import { promptFile, reportFile, runSandboxed, type SandboxContext, seenBy } from '../port/sandboxed-run.ts';
import { lineOf } from '../port/shell-line.ts';
import type { ProcessResult } from '../process/child.ts';
import { deafAdapter, failed, launched, processFailure, tailOf } from './process-failure.ts';
import { readReport } from './report.ts';

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
