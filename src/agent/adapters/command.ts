import { constants } from 'node:os';
import type { Failure, Report } from '../../steering/attempt-result.ts';
import { endingOf } from '../../text/cut.ts';
import type { AgentAdapter, AgentHost, ChoiceOf, Outcome, RunSpec } from '../port.ts';
import type { ProcessResult } from '../process/child.ts';
import { agentConfiguration } from '../sandbox/agent-configuration.ts';
import { promptFile, reportFile, runSandboxed, type SandboxContext } from '../sandboxed-run.ts';
import { readReport } from './report.ts';

type Choice = ChoiceOf<'command'>;

/**
 * Any program: it gets the prompt on stdin and the workspace as its working directory, may write a report,
 * and succeeds by its exit code.
 */
export const command: AgentAdapter<Choice> = {
  async start(spec, host) {
    const stop = new AbortController();
    const done = execute(spec, host, stop.signal);
    const cancel = async (): Promise<void> => {
      stop.abort();
      await done;
    };
    return { done, cancel, steer: async () => 'unable' };
  },
};

/** Exit code 127 alone would be ambiguous: an agent may exit with it too. */
const notFoundMarker = 'coxswain: command not found';
const launcher = `command -v "$1" >/dev/null 2>&1 || { echo '${notFoundMarker}' >&2; exit 127; }; exec "$@"`;

async function execute(spec: RunSpec<Choice>, host: AgentHost, signal: AbortSignal): Promise<Outcome> {
  const { context, agent, prompt, timeoutMs } = spec;
  const allowed = await host.decide({ kind: 'execute', title: agent.command.join(' ') }, signal);
  if (!allowed.allow) return failed('exit', `the agent was not allowed to start: ${allowed.reason}`);
  const program = {
    argv: ['sh', '-c', launcher, 'sh', ...agent.command],
    use: 'agent' as const,
    command: agent.command.join(' '),
    input: prompt,
    timeoutMs,
    confinement: { masked: agentConfiguration, namespaces: true },
    env: agentEnvironment(spec),
    onOutput: (text: string) => host.event({ type: 'text', text }),
  };
  const result = await runSandboxed(context, program, signal);
  if (result.end === 'cancelled') return { kind: 'cancelled' };
  const failure = failureOf(result, spec);
  return failure === null ? outcomeByReport(result, context) : { kind: 'failed', failure };
}

function agentEnvironment({ context, attempt }: RunSpec<Choice>): Readonly<Record<string, string>> {
  return {
    ...context.agentEnvironment,
    ...context.network.modelVariables,
    COXSWAIN_PROMPT_FILE: promptFile(context),
    COXSWAIN_REPORT_FILE: reportFile(context),
    COXSWAIN_RUN: attempt.run,
    COXSWAIN_ITERATION: String(attempt.iteration),
    COXSWAIN_ATTEMPT: String(attempt.attempt),
  };
}

/** Null when the program succeeded. */
function failureOf(result: ProcessResult, { agent, timeoutMs }: RunSpec<Choice>): Failure | null {
  const name = `\`${agent.command.join(' ')}\``;
  const because = (kind: Failure['kind'], what: string): Failure => ({
    kind,
    message: what + outputTail(result),
  });
  if (result.end === 'timed_out')
    return because('timeout', `${name} did not finish within ${timeoutMs / 1000} s`);
  if (result.end === 'signalled') return because('crash', `${name} was killed by ${result.signal}`);
  if (result.end === 'not_started')
    return { kind: 'sandbox', message: `${name} could not start: ${result.message}` };
  if (result.end === 'exceeded') return because('resources', `${name} was stopped: it used ${result.what}`);
  if (result.end === 'cancelled' || result.exitCode === 0) return null;
  if (result.stderr.startsWith(notFoundMarker)) return { kind: 'not_found', message: notFound(agent) };
  const signal = signalBehind(result.exitCode);
  if (signal) return because('crash', `${name} was killed by ${signal} (exit code ${result.exitCode})`);
  return because('exit', `${name} ended with exit code ${result.exitCode}`);
}

function notFound({ command: [program = ''] }: Choice): string {
  return (
    `the agent \`${program}\` was not found: it is configured under \`agent.command\`` +
    ' in .github/coxswain.yml and must be on the search path or, with a slash in its name, in the repository'
  );
}

/** A shell and the sandbox report death by a signal as 128 plus the signal's number. */
function signalBehind(exitCode: number): string | undefined {
  return Object.entries(constants.signals).find(([, number]) => number === exitCode - 128)?.[0];
}

async function outcomeByReport(result: ProcessResult, context: SandboxContext): Promise<Outcome> {
  const read = await readReport(reportFile(context));
  if (read.kind === 'incoherent') {
    return failed('incoherent_report', `the agent's report could not be understood: ${read.why}`);
  }
  const report = read.kind === 'report' ? read.report : unreported(result);
  return report.status === 'cannot' ? failed('cannot', report.summary) : { kind: 'completed', report };
}

function unreported({ stdout }: ProcessResult): Report {
  return { summary: tailOf(stdout), status: 'done', tool_calls: [] };
}

function outputTail({ stdout, stderr }: ProcessResult): string {
  const tail = tailOf(stderr) || tailOf(stdout);
  return tail === '' ? '' : `; its last output was:\n${tail}`;
}

/** The last 20 lines, at most 2,000 characters. */
function tailOf(text: string): string {
  return endingOf(text.trim().split('\n').slice(-20).join('\n'), 2_000).trim();
}

function failed(kind: Failure['kind'], message: string): Outcome {
  return { kind: 'failed', failure: { kind, message } };
}
