import type { ProviderFault } from '../../network/model/endpoint.ts';
import { limitsOf, spentBefore } from '../../steering/iterations/spending.ts';
import { maxAsks, usualPermissions } from '../../steering/permission/permitted-calls.ts';
import type { Failure, GateHit, ToolCall } from '../../steering/shapes/attempt-result.ts';
import { type Limits, limits, type RaisableLimit, raisableLimits } from '../../steering/shapes/limits.ts';
import { questionLimits, usualQuestions } from '../../steering/shapes/question.ts';
import type { AgentChoice } from '../../steering/shapes/settings.ts';
import { shortened } from '../../text/characters.ts';
import type { ProgressOf, ReasoningLog } from '../port/agent-activity.ts';
import {
  type Adapters,
  type AgentHost,
  type AgentRun,
  type ChoiceOf,
  type Image,
  type Live,
  type Outcome,
  parking,
  type RunSpec,
} from '../port/agent-adapter.ts';
import type { Assignment, AttemptResources } from '../port/assignment.ts';
import type { SandboxContext } from '../port/sandboxed-run.ts';
import type { PlacedSkill } from '../port/skills.ts';
import { budgetFailure, costOf, limitedOutcome, WorkingTime } from './attempt-limits.ts';
import { Host } from './host.ts';

/** An agent that is about to work. */
export interface Working {
  readonly assignment: Assignment;
  readonly resources: AttemptResources;
  readonly live: Live | undefined;
  readonly prompt: string;
  readonly images: readonly Image[];
  readonly skills: readonly PlacedSkill[];
  readonly log: ReasoningLog;
  readonly progress: ProgressOf;
  /** What is left of the attempt. */
  readonly timeoutMs: number;
}

interface AgentResult {
  readonly outcome: Outcome;
  /** Rules that matched what it did without anybody being asked. */
  readonly ran: readonly GateHit[];
  /** Limits that were nearly met. */
  readonly near: readonly string[];
  /** Its tool calls, also if it did not finish. */
  readonly calls: readonly ToolCall[];
  /** It waits for people, and goes on when they have answered; absent if it does not. */
  readonly parked?: 'question' | 'permission';
}

/** Runs the agent, answers it, tells it what people say, and ends it when a limit is met. */
export async function runAgent(
  context: SandboxContext,
  working: Working,
  signal: AbortSignal,
): Promise<AgentResult> {
  const { assignment, live, timeoutMs: leftMs } = working;
  const { agent } = assignment.state.settings;
  const limitMs = Math.min(agent.timeout_s * 1000, leftMs);
  const ending = new Ending(signal);
  // A program counts its time itself, and what it last wrote is in its failure.
  const isCounted = agent.use !== 'command';
  const time = new WorkingTime(isCounted ? limitMs : Number.POSITIVE_INFINITY);
  const { host, near, publishing } = hostFor(context, working, ending, time);
  endWhenOver(ending, time, context, timeoutFailure(agent, limitMs));
  let detach = (): void => undefined;
  try {
    const timeoutMs = isCounted ? limitMs + longestHold(working) : limitMs;
    const run = await startAgent(specOf(context, working, timeoutMs), host, working.resources.adapters);
    detach = live?.attend((words) => run.steer(words)) ?? detach;
    const alone = await ending.of(run);
    const limited = { until: context.network.limitedUntil(), now: Date.now() };
    const waiting = limitedOutcome(alone, { ...limited, settings: assignment.state.settings });
    const ended = inProvidersWords(waiting, modelFailure(context.network.modelFault()));
    const outcome = ended.kind === 'completed' ? await asReported(ended, host) : ended;
    await host.settled();
    const exhausted = signal.aborted ? null : context.network.exhausted();
    const overspent = exhausted && ({ kind: 'failed', failure: budgetFailure(exhausted) } as const);
    const known = { ran: host.ran, near: near(), calls: host.calls };
    if (overspent ?? ending.isOurs) return { outcome: overspent ?? outcome, ...known };
    const hasAsked = outcome !== ended && outcome.kind === 'cancelled';
    const parked = host.parked ?? (hasAsked || live?.awaitsAnswer() ? 'question' : undefined);
    return { outcome, ...known, ...(parked !== undefined && { parked }) };
  } finally {
    publishing.end();
    detach();
    time.stop();
  }
}

/** What the provider said of its model says more than what the agent makes of it. */
function inProvidersWords(outcome: Outcome, said: Failure | null): Outcome {
  const isSame = outcome.kind === 'failed' && outcome.failure.kind === said?.kind;
  return isSame ? { kind: 'failed', failure: said } : outcome;
}

/** What an agent that has finished says of its work. What it asks then is left with people. */
async function asReported(ended: Extract<Outcome, { kind: 'completed' }>, host: Host): Promise<Outcome> {
  const { question, status, summary } = ended.report;
  if (question !== undefined) {
    const answer = await host.ask({ question }, AbortSignal.abort(parking));
    if (answer.kind !== 'refused') return { kind: 'cancelled' };
  }
  if (status !== 'cannot') return ended;
  const asks = question === undefined ? '' : `\n\nIt asks: ${question}`;
  return { kind: 'failed', failure: { kind: 'cannot', message: `${summary}${asks}` } };
}

/** Ends an agent: for a reason of ours, which then is its outcome, or in order, so that another goes on. */
class Ending {
  readonly #signal: AbortSignal;
  readonly #stop = new AbortController();
  readonly #parking = new AbortController();
  #why: Failure | null = null;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  get isOurs(): boolean {
    return this.#why !== null;
  }

  with(why: Failure): void {
    this.#why ??= why;
    this.#stop.abort();
  }

  park(): void {
    this.#parking.abort();
  }

  async of(run: AgentRun): Promise<Outcome> {
    const cancel = (): void => void run.cancel().catch(toldByDone);
    const park = (): void => {
      run.park().catch(toldByDone);
      setTimeout(cancel, parkMs).unref();
    };
    whenAborted(this.#stop.signal, cancel);
    whenAborted(AbortSignal.any([this.#signal, this.#parking.signal]), park);
    const outcome = await run.done;
    return this.#why === null || this.#signal.aborted ? outcome : { kind: 'failed', failure: this.#why };
  }
}

/** How long an agent may take to end in order. */
const parkMs = 5_000;

function whenAborted(signal: AbortSignal, act: () => void): void {
  if (signal.aborted) act();
  else signal.addEventListener('abort', act, { once: true });
}

/** `run.done` reports how the agent ended, also if that is a fault of ours. */
function toldByDone(): void {}

function endWhenOver(ending: Ending, time: WorkingTime, { network }: SandboxContext, late: Failure): void {
  const overdue = () => ending.with(modelFailure(network.modelFault()) ?? late);
  time.over.addEventListener('abort', overdue, { once: true });
  network.onKeyRefused(() => {
    const refused = modelFailure(network.modelFault());
    if (refused !== null) ending.with(refused);
  });
  const exhausted = (): void => {
    const budget = network.exhausted();
    if (budget !== null) ending.with(budgetFailure(budget));
  };
  const later = (): void => void setTimeout(exhausted, graceMs).unref();
  network.onExhausted(later);
  // It would only wait, at the cost of its time.
  network.onLimited(() => ending.park());
}

/** How long an agent may go on that is refused every request, to put away what it has. */
const graceMs = 60_000;

function hostFor(context: SandboxContext, working: Working, ending: Ending, time: WorkingTime) {
  const { assignment, resources, live, log, progress } = working;
  const { state } = assignment;
  const { secrets, sandbox } = resources;
  const before = spentBefore(state);
  const near = (): readonly string[] => {
    const { tokens = 0, usd = 0 } = costOf(context.network.spent(), log.cost);
    const used = {
      cost_usd: usd + (before.usd ?? 0),
      tokens: tokens + (before.tokens ?? 0),
      tool_calls: progress.calls.total,
    };
    return nearLimits(used, live?.limits() ?? limitsOf(state));
  };
  const publishing = new Publishing(() => {
    live?.progress(progress.now(costOf(context.network.spent(), log.cost), { near: near(), secrets }));
  });
  const host = new Host({
    ...{ state, live, log, time, secrets },
    sandboxed: sandbox.kind !== 'none',
    onTooManyCalls: (limit) => ending.with(callsFailure(limit)),
    onEvent: (event) => {
      progress.see(event);
      publishing.changed();
    },
    onParked: () => ending.park(),
  });
  return { host, near, publishing };
}

/** How long people can be waited for: the agent has long been ended by then, unless this process cannot. */
function longestHold({ assignment }: Working): number {
  const { permissions = usualPermissions } = assignment.state.settings;
  return (maxAsks * permissions.hold_s + questionLimits.ofRun * longestQuestion) * 1000;
}

/** Longer than an agent is held for an answer (`longestHoldS`), in seconds. */
const longestQuestion = 60;

function timeoutFailure(agent: AgentChoice, limitMs: number): Failure {
  return {
    kind: 'timeout',
    message: `${nameOf(agent)} did not finish within ${secondsOf(limitMs)} s`,
  };
}

/** The failure of an agent whose model refused the newest request; null if it answered. */
function modelFailure(fault: ProviderFault | null): Failure | null {
  if (fault === null) return null;
  const { host, key, status, words } = fault;
  const said = `${status}${words === '' ? '' : `: ${shortened(words, 500)}`}`;
  if (status === 401 || status === 403) {
    const which = key === undefined ? 'the request' : `the key in ${key}`;
    const where =
      'it is set where Coxswain runs: in the environment of the App, or under `env:` of the Action';
    return { kind: 'model_key', message: `${host} refuses ${which} (${said}); ${where}` };
  }
  if (status !== 408 && status !== 429 && status < 500) return null;
  return { kind: 'model_unavailable', message: `${host} does not answer (${said})` };
}

function secondsOf(ms: number): number {
  return ms < 1000 ? ms / 1000 : Math.round(ms / 1000);
}

function nameOf(agent: AgentChoice): string {
  if ('script' in agent) return 'the script';
  return isCommand(agent) ? `\`${agent.command.join(' ')}\`` : agent.use;
}

function callsFailure(limit: number): Failure {
  const message = `the agent made more than ${limit} tool calls (limits.tool_calls in .github/coxswain.yml)`;
  return { kind: 'budget', budget: 'tool_calls', message };
}

function specOf(context: SandboxContext, working: Working, timeoutMs: number): RunSpec {
  const { assignment, resources, live, prompt, images, skills } = working;
  const { hold, state, default_branch } = assignment;
  const { questions = usualQuestions } = state.settings;
  return {
    ...(questions.enabled && live !== undefined && { questions }),
    ...{ agent: state.settings.agent, prompt, images, skills, context, timeoutMs },
    attempt: { run: state.run.id, iteration: hold.iteration, attempt: hold.attempt },
    readConfigured: (path) => resources.mirror.readFile(`refs/heads/${default_branch}`, path),
  };
}

function startAgent(spec: RunSpec, host: AgentHost, adapters: Adapters): Promise<AgentRun> {
  const { agent } = spec;
  if ('script' in agent) return adapters.scripted.start({ ...spec, agent }, host);
  if (isCommand(agent)) return adapters.command.start({ ...spec, agent }, host);
  return adapters.acp.start({ ...spec, agent }, host);
}

function isCommand(agent: AgentChoice): agent is ChoiceOf<'command'> {
  return agent.use === 'command';
}

/** From this part of a limit on, people are told. */
const near = 0.8;

/** Which limits will soon be met, each in a sentence, by what the run or the attempt has used so far. */
export function nearLimits(
  used: Readonly<Record<RaisableLimit, number>>,
  configured: Limits,
): readonly string[] {
  return raisableLimits.flatMap((name) => {
    const most = configured[name];
    if (most === undefined || used[name] < most * near) return [];
    const { noun, of } = limits[name];
    const [now, end] = [used[name], most].map((amount) =>
      noun === null ? amount.toFixed(2) : amount.toLocaleString('en-US'),
    );
    const what = noun === null ? 'USD' : `${noun}s`;
    return [`${now} of ${end} ${what} of this ${of} are used (\`limits.${name}\`).`];
  });
}

/** Soon enough for people who watch, and seldom enough for whoever else this process works for. */
const publishEveryMs = 150;

/** So often also if nothing changed: an agent that reports nothing of what it does still costs something. */
const quietTicks = 13;

/**
 * Shows how something stands now, a moment after it has changed: agents report every word, and to show one is
 * much more work than to read it.
 */
class Publishing {
  readonly #publish: () => void;
  readonly #timer: NodeJS.Timeout;
  #isChanged = false;
  #quiet = 0;

  constructor(publish: () => void) {
    this.#publish = publish;
    publish();
    this.#timer = setInterval(() => this.#tick(), publishEveryMs);
  }

  changed(): void {
    this.#isChanged = true;
  }

  /** What is not shown yet is shown now. */
  end(): void {
    clearInterval(this.#timer);
    if (this.#isChanged) this.#show();
  }

  #tick(): void {
    this.#quiet += 1;
    if (this.#isChanged || this.#quiet >= quietTicks) this.#show();
  }

  #show(): void {
    this.#isChanged = false;
    this.#quiet = 0;
    this.#publish();
  }
}
