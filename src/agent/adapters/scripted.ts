import type { Failure, Report } from '../../steering/evidence.ts';
import type { AgentAdapter, AgentHost, ChoiceOf, Outcome, RunSpec } from '../port.ts';
import { OutsideError } from './safe-path.ts';
import { parseScript, type Script, ScriptError, type Step } from './script.ts';
import { type Stage, take } from './steps.ts';

type Choice = ChoiceOf<'scripted'>;

/** Plays a script from the base branch instead of thinking: for demos and tests, real in everything else. */
export const scripted: AgentAdapter<Choice> = {
  async start(spec, host) {
    const stop = new AbortController();
    const done = play(spec, host, stop.signal);
    const cancel = async (): Promise<void> => {
      stop.abort();
      await done;
    };
    return { done, cancel };
  },
};

async function play(spec: RunSpec<Choice>, host: AgentHost, cancelled: AbortSignal): Promise<Outcome> {
  const late = AbortSignal.timeout(spec.timeoutMs);
  const stage: Stage = {
    room: spec.room,
    host,
    signal: AbortSignal.any([cancelled, late]),
    timeoutMs: spec.timeoutMs,
  };
  try {
    return await playTurn(turnFor(await readScript(spec), spec), stage);
  } catch (cause) {
    if (cancelled.aborted) return { kind: 'cancelled' };
    if (late.aborted) return failed('timeout', `the script did not finish within ${spec.timeoutMs / 1000} s`);
    if (cause instanceof ScriptError) return failed('incoherent_report', cause.message);
    if (cause instanceof OutsideError) return failed('exit', cause.message);
    throw new Error(`could not play the script ${spec.agent.script}`, { cause });
  }
}

async function readScript({ agent, readBase }: RunSpec<Choice>): Promise<Script> {
  const text = await readBase(agent.script);
  if (text !== undefined) return parseScript(text, agent.script);
  throw new ScriptError(
    `the script ${agent.script} is not on the base branch; agent.script names its path there`,
  );
}

/** The first turn whose conditions all hold. */
function turnFor({ turns }: Script, { agent, attempt }: RunSpec<Choice>): readonly Step[] {
  const turn = turns.find(
    ({ on }) =>
      (on.iteration ?? attempt.iteration) === attempt.iteration &&
      (on.attempt ?? attempt.attempt) === attempt.attempt,
  );
  if (turn !== undefined) return turn.steps;
  const place = `iteration ${attempt.iteration}, attempt ${attempt.attempt}`;
  throw new ScriptError(
    `no turn of the script ${agent.script} is for ${place}; a turn without \`on\` is for all`,
  );
}

async function playTurn(steps: readonly Step[], stage: Stage): Promise<Outcome> {
  let report: Report = { summary: '', status: 'done', tool_calls: [] };
  for (const step of steps) {
    stage.signal.throwIfAborted();
    const taken = await take(step, stage);
    if (taken.kind === 'failed') return failed('exit', taken.message);
    if (taken.kind === 'said') report = { ...report, summary: taken.text };
    if (taken.kind === 'called') report = { ...report, tool_calls: [...report.tool_calls, taken.call] };
    if (taken.kind === 'reported') report = { ...report, ...taken.report };
  }
  stage.signal.throwIfAborted();
  return report.status === 'cannot' ? failed('cannot', report.summary) : { kind: 'completed', report };
}

function failed(kind: Failure['kind'], message: string): Outcome {
  return { kind: 'failed', failure: { kind, message } };
}
