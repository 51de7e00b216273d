import type { Report } from '../../steering/shapes/attempt-result.ts';
import type { AgentHost, ChoiceOf, Outcome, RunSpec } from '../port/agent.ts';
import { deafAdapter, failed } from './process-failure.ts';
import { PathEscapeError } from './safe-path.ts';
import { parseScript, type Script, ScriptError, type Step, type Turn } from './script.ts';
import { type Playback, performStep } from './steps.ts';

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
  { iteration, attempt: number, prompt: words = [] }: Turn['on'],
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

/** In the words in which a prompt would say it. */
function answered(text: string): string {
  return `You previously asked. The user responded: "${text}".`;
}
