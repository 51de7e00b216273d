import { writeFile } from 'node:fs/promises';
import { changesBetween } from '../git/diff.ts';
import { untrackedIn } from '../git/worktree.ts';
import type { Changes, Failure, Report } from '../steering/evidence.ts';
import {
  type Artefact,
  type Assignment,
  attemptFolder,
  secondsSince,
  type Tools,
  type WorkOutcome,
} from './assignment.ts';
import { commitWork } from './commit.ts';
import { hostOf } from './host.ts';
import type { AgentRun, Outcome, RunSpec } from './port.ts';
import { promptFor } from './prompts/prompt.ts';
import { ReasoningLog } from './reasoning.ts';
import { redact, redactAll } from './redact.ts';
import { promptFile, type Room } from './sandboxed-run.ts';
import { setUp } from './setup.ts';
import { inWorkspace } from './workspace.ts';

/** One execution of the agent, from a fresh worktree to a commit in the mirror. Nothing secret comes out. */
export async function work(assignment: Assignment, tools: Tools, signal: AbortSignal): Promise<WorkOutcome> {
  const began = performance.now();
  const attempt: Attempt = {
    assignment,
    tools,
    prompt: redact(promptFor(assignment.state), tools.secrets),
    log: new ReasoningLog(),
    until: began + assignment.state.settings.limits.minutes * 60_000,
  };
  const brought = await tryTo(attempt, signal);
  if (brought.kind === 'cancelled') return brought;
  const duration_s = secondsSince(began);
  if (brought.kind === 'failed') {
    const failure = redactAll(brought.failure, tools.secrets);
    return { ...brought, failure, duration_s, artefacts: artefactsOf(attempt, null) };
  }
  const { head, changes } = brought;
  const report = redactAll(brought.report, tools.secrets);
  const done = { head_before: assignment.commit, head, report, changes, cost: attempt.log.cost, duration_s };
  return { kind: 'finished', work: done, artefacts: artefactsOf(attempt, changes) };
}

interface Attempt {
  readonly assignment: Assignment;
  readonly tools: Tools;
  readonly prompt: string;
  readonly log: ReasoningLog;
  /** When the time for the whole attempt is over, by `performance.now()`. */
  readonly until: number;
}

type Brought =
  | { readonly kind: 'brought'; readonly head: string; readonly changes: Changes; readonly report: Report }
  | { readonly kind: 'failed'; readonly failure: Failure; readonly kept: string | null }
  | { readonly kind: 'cancelled' };

async function tryTo(attempt: Attempt, signal: AbortSignal): Promise<Brought> {
  const { assignment, tools, log } = attempt;
  const refusal = withoutSandbox(assignment, tools);
  if (refusal !== null) return { kind: 'failed', failure: refusal, kept: null };
  if (tools.sandbox.note !== null) log.add({ type: 'notice', text: tools.sandbox.note });
  return inWorkspace(assignment, tools, (room) => workIn(room, attempt, signal));
}

/** A repository that demands a sandbox gets one or no work at all; null when all is well. */
export function withoutSandbox({ state }: Assignment, { sandbox }: Tools): Failure | null {
  if (state.settings.sandbox !== 'required' || sandbox.kind !== 'none') return null;
  return {
    kind: 'sandbox',
    message: `the configuration requires a sandbox: ${sandbox.note ?? 'there is none'}`,
  };
}

async function workIn(room: Room, attempt: Attempt, signal: AbortSignal): Promise<Brought> {
  const { assignment, tools, log } = attempt;
  const { setup } = assignment.state.settings;
  // Before anything of the branch's runs, which might put a link in its place.
  await writeFile(promptFile(room), attempt.prompt);
  const limits = { timeoutMs: timeLeft(attempt), signal };
  const ready = await setUp(room, setup, limits);
  if (ready.kind === 'cancelled') return ready;
  if (ready.kind === 'failed') return { ...ready, kept: null };
  const madeBySetup = setup.length > 0 ? await untrackedIn(tools.mirror, room.workspace) : [];
  const outcome = await runAgent(room, attempt, signal);
  if (outcome.kind === 'cancelled' || signal.aborted) return { kind: 'cancelled' };
  log.add({
    type: 'notice',
    text: outcome.kind === 'failed' ? outcome.failure.message : 'the agent has finished',
  });
  const summary = outcome.kind === 'failed' ? 'Work of an attempt that failed' : outcome.report.summary;
  const commit = await commitWork(room, { assignment, tools }, { summary, madeBySetup });
  if (outcome.kind === 'failed') return { ...outcome, kept: commit ?? null };
  const head = commit ?? assignment.commit;
  const changes = await changesBetween(tools.mirror.dir, assignment.commit, head);
  return { kind: 'brought', head, changes, report: outcome.report };
}

async function runAgent(room: Room, attempt: Attempt, signal: AbortSignal): Promise<Outcome> {
  const { assignment, prompt } = attempt;
  const { agent } = assignment.state.settings;
  const timeoutMs = Math.min(agent.timeout_s * 1000, timeLeft(attempt));
  const run = await startAgent({ agent, prompt, room, timeoutMs, ...facts(attempt) }, attempt);
  // Whether the agent ends well after that is said by `done`.
  const cancel = (): void => void run.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  try {
    return await run.done;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

function startAgent(spec: RunSpec, { tools, log }: Attempt): Promise<AgentRun> {
  const { agent } = spec;
  const host = hostOf(log);
  switch (agent.use) {
    case 'command':
      return tools.adapters.command.start({ ...spec, agent }, host);
    case 'scripted':
      return tools.adapters.scripted.start({ ...spec, agent }, host);
  }
}

function facts({ assignment, tools }: Attempt): Pick<RunSpec, 'attempt' | 'readBase'> {
  const { hold, state } = assignment;
  return {
    attempt: { run: state.run.id, iteration: hold.iteration, attempt: hold.attempt },
    readBase: (path) => tools.mirror.readFile(`refs/heads/${state.run.base}`, path),
  };
}

function timeLeft({ until }: Attempt): number {
  return Math.max(until - performance.now(), 1);
}

function artefactsOf(
  { assignment, tools, prompt, log }: Attempt,
  changes: Changes | null,
): readonly Artefact[] {
  const folder = attemptFolder(assignment.hold);
  const files = [
    { path: `${folder}/prompt.md`, content: prompt },
    { path: `${folder}/reasoning.md`, content: redact(log.text(), tools.secrets) },
  ];
  if (changes === null) return files;
  return [...files, { path: `${folder}/changes.json`, content: `${JSON.stringify(changes, null, 2)}\n` }];
}
