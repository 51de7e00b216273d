import { changedPaths } from '../../git/changed-paths.ts';
import { findAt } from '../../git/git-index.ts';
import type { Mirror } from '../../git/mirror.ts';
import { isPlanning, stageOf } from '../../steering/iterations/iteration.ts';
import type { Failure, Work } from '../../steering/shapes/attempt-result.ts';
import type { StageCheck } from '../../steering/shapes/settings.ts';
import type { State } from '../../steering/state/state.ts';
import { endingOf } from '../../text/characters.ts';
import type { ProcessResult } from '../process/child.ts';
import type { Assignment, AttemptResources } from './assignment.ts';
import { runShell, type SandboxContext } from './sandboxed-run.ts';

/** Where a stage that plans writes its plan. */
export const planFile = 'PLAN.md';

/** What a stage came to, once its agent has finished. */
type StageOutcome =
  | { readonly kind: 'passed'; readonly plan?: Work['plan'] }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'cancelled' };

interface Ended {
  readonly context: SandboxContext;
  readonly assignment: Assignment;
  readonly resources: AttemptResources;
  /** The commit with everything that the agent changed. */
  readonly head: string;
  /** The agent's last message, which is the plan of a stage that wrote no file. */
  readonly said: string;
  /** How long the attempt may still take. */
  timeLeftMs(): number;
  readonly signal: AbortSignal;
}

/** Reads the plan of a stage that plans, and runs the checks of any stage; the first that fails ends it. */
export async function stageOutcome(ended: Ended): Promise<StageOutcome> {
  const { assignment, signal } = ended;
  const { checks = [] } = stageOf(assignment.state);
  const plan = isPlanning(assignment.state) ? await planIn(ended) : undefined;
  if (plan !== undefined && 'failure' in plan) return { kind: 'failed', failure: plan.failure };
  for (const check of checks) {
    const problem = 'file' in check ? await missing(check.file, ended) : await runCheck(check, ended);
    if (signal.aborted) return { kind: 'cancelled' };
    if (problem !== undefined) return { kind: 'failed', failure: problem };
  }
  return { kind: 'passed', ...(plan !== undefined && { plan }) };
}

/** More is no plan that people read, and would fill the prompts after it. */
const maxPlan = 60_000;
const maxDropped = 50;

/** The plan, with the files that the agent changed besides; it is never read through a link. */
async function planIn(ended: Ended): Promise<NonNullable<Work['plan']> | { readonly failure: Failure }> {
  const { assignment, resources, head, said } = ended;
  const { mirror } = resources;
  const found = await mirror.reading(() => findAt(mirror.dir, head, planFile));
  const changed =
    head === assignment.commit
      ? []
      : await changedPaths(mirror.dir, { from: assignment.commit, to: head, base: assignment.commit });
  // A file of that name that was there before is not this plan.
  const isNew = changed.some((path) => path === planFile || path.startsWith(`${planFile}/`));
  if (isNew && found.kind !== 'file')
    return { failure: failed(planFile, `\`${planFile}\` is no file: a plan is read from a plain file`) };
  const written = isNew ? await mirror.readFile(head, planFile) : undefined;
  const text = (written ?? said).trim();
  if (text === '')
    return { failure: failed(planFile, `there is no plan: neither \`${planFile}\` nor a last message`) };
  if (text.length > maxPlan)
    return {
      failure: failed(planFile, `the plan has ${text.length} characters: expected at most ${maxPlan}`),
    };
  const dropped = changed.filter((path) => path !== planFile).slice(0, maxDropped);
  return { text, ...(dropped.length > 0 && { dropped }) };
}

async function missing(path: string, { head, resources: { mirror } }: Ended): Promise<Failure | undefined> {
  const found = await mirror.reading(() => findAt(mirror.dir, head, path));
  return found.kind === 'none' ? failed(path, `there is no \`${path}\``) : undefined;
}

async function runCheck(
  { run, expect }: Extract<StageCheck, { run: string }>,
  { context, timeLeftMs, signal }: Ended,
): Promise<Failure | undefined> {
  const result = await runShell(context, run, { timeoutMs: timeLeftMs(), signal, use: 'verifiers' });
  const ending = endOf(result);
  if (ending === (expect === 'pass' ? 'passed' : 'failed')) return undefined;
  const how = {
    passed: 'passed, and was expected to fail',
    failed: `failed with exit code ${'exitCode' in result ? result.exitCode : ''}`,
    unable: 'could not be run',
    broken: `did not end by itself${result.end === 'exceeded' ? `: it used ${result.what}` : ''}`,
    late: 'did not end in the time that the attempt has',
  }[ending];
  return failed(run, `\`${run}\` ${how}`, outputOf(result));
}

/**
 * In POSIX shells, 126 means that a command cannot be run, 127 that it does not exist, and more than 128 that
 * a signal has ended it. A test that could not be run has not failed as was expected.
 */
function endOf(result: ProcessResult): 'passed' | 'failed' | 'unable' | 'broken' | 'late' {
  if (result.end === 'timed_out') return 'late';
  if (result.end === 'not_started') return 'unable';
  if (result.end !== 'exited' || isSignal(result.exitCode)) return 'broken';
  if (result.exitCode === 0) return 'passed';
  return result.exitCode === 126 || result.exitCode === 127 ? 'unable' : 'failed';
}

/** Linux has 64 of them; programs of their own end with 255, too. */
function isSignal(exitCode: number): boolean {
  return exitCode > 128 && exitCode <= 128 + 64;
}

const maxOutput = 4_000;

function outputOf(result: ProcessResult): string {
  if (result.end === 'not_started') return result.message;
  return endingOf(`${result.stdout}\n${result.stderr}`.trim(), maxOutput);
}

function failed(check: string, what: string, output = ''): Failure {
  return { kind: 'stage_check', message: output === '' ? what : `${what}\n${output}`, check };
}

/** What the configuration tells the agent of its stage; undefined if nothing. */
export async function stageInstructions(
  state: State,
  { mirror, rev }: { readonly mirror: Mirror; readonly rev: string },
): Promise<{ readonly text?: string } | { readonly failure: Failure }> {
  const { name, instructions } = stageOf(state);
  if (instructions === undefined) return {};
  if (typeof instructions === 'string') return { text: instructions };
  const { file } = instructions;
  const found = await mirror.reading(() => findAt(mirror.dir, rev, file));
  const text = found.kind === 'file' ? await mirror.readFile(rev, file) : undefined;
  if (text !== undefined && text.trim() !== '' && text.length <= maxInstructions) return { text };
  const why =
    text === undefined
      ? 'there is no such file'
      : text.trim() === ''
        ? 'it is empty'
        : `it has more than ${maxInstructions} characters`;
  const message =
    `the stage ${name} cannot begin: its instructions are to be in \`${file}\` on the default branch, but ${why}; ` +
    'they are named under `stages` or `pipelines` in .github/coxswain.yml';
  return { failure: { kind: 'agent_unusable', message } };
}

const maxInstructions = 40_000;
