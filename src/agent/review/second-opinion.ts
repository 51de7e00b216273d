import { writeFile } from 'node:fs/promises';
import { git } from '../../git/git.ts';
import type { Mirror } from '../../git/mirror.ts';
import { inside } from '../../git/objects.ts';
import { diffBetween } from '../../git/patches.ts';
import { WorktreeUnusable } from '../../git/untrusted-worktree.ts';
import { failedRequired, openConcerns } from '../../steering/confidence/evaluation.ts';
import { agentName } from '../../steering/iterations/authorship.ts';
import type { FoundReview } from '../../steering/shapes/attempt-result.ts';
import { strictest } from '../../steering/shapes/limits.ts';
import type { Reviewer, Settings } from '../../steering/shapes/settings.ts';
import type { State } from '../../steering/state/state.ts';
import { beginningOf } from '../../text/characters.ts';
import { redact, redactAll } from '../../text/redact.ts';
import { missingKey } from '../attempt/agent-work.ts';
import { costOf } from '../attempt/attempt-limits.ts';
import { baseOf } from '../attempt/commits.ts';
import { readGiving } from '../attempt/instructions.ts';
import { runAgent } from '../attempt/run-agent.ts';
import type { VerifierResult } from '../attempt/verifier-runs.ts';
import { openWorkspace } from '../attempt/workspace.ts';
import { ProgressOf, ReasoningLog } from '../port/agent-activity.ts';
import type { Outcome } from '../port/agent-adapter.ts';
import { type Artefact, type Assignment, attemptFolder } from '../port/assignment.ts';
import { promptFile, type SandboxContext } from '../port/sandboxed-run.ts';
import type { Verifying } from '../proof/verify-in.ts';
import { readAnswer, reviewPrompt, without } from './prompt-and-answer.ts';

/** Who waits for it, and what the verifiers said. */
interface Wanting {
  readonly results: readonly VerifierResult[];
  readonly signal: AbortSignal;
  /** Nobody needs it any more. */
  readonly enough?: AbortSignal;
  /** Told when somebody is asked. */
  onAsked(): void;
}

/**
 * Asks the agent that the settings name for a second opinion, once the required verifiers have passed, in a
 * session of its own and a workspace that is thrown away. Returns it with what is kept of how it came about;
 * undefined if nobody is to be asked, or the opinion on this commit stands. What goes wrong in asking is no
 * opinion, and never fails the verification.
 */
export async function secondOpinion(
  { assignment, resources }: Verifying,
  { results, signal, enough, onAsked }: Wanting,
): Promise<{ review: FoundReview; artefacts: readonly Artefact[] } | 'cancelled' | undefined> {
  const { state, commit } = assignment;
  const { review: reviewer } = state.settings;
  const stands = state.review?.head === commit && state.review.confidence !== null;
  if (
    reviewer === undefined ||
    stands ||
    enough?.aborted ||
    failedRequired(results.map(({ full }) => full)).length > 0
  )
    return undefined;
  onAsked();
  const settings = settingsOf(state, reviewer);
  const reviewing: Assignment = { ...assignment, state: { ...state, settings, stage: reviewStage } };
  const session: Session = { log: new ReasoningLog(), prompt: '', cost: {}, isPartial: false };
  const answer = await opinionOf(
    { assignment: reviewing, resources },
    {
      ...{ results, session },
      signal: AbortSignal.any([signal, ...(enough === undefined ? [] : [enough])]),
    },
  ).catch((fault: unknown) => unasked(fault, session.log));
  if (signal.aborted) return 'cancelled';
  const since = await sinceNamed(state, resources.mirror, commit);
  const found: FoundReview = {
    ...answer,
    by: agentName(reviewer.agent),
    ...since,
    ...(session.isPartial && { partial: true }),
    ...(Object.keys(session.cost).length > 0 && { cost: session.cost }),
  };
  const review = redactAll(found, resources.secrets);
  const folder = attemptFolder({ ...assignment.hold, stage: reviewStage });
  return {
    review,
    artefacts: [
      { path: `${folder}/prompt.md`, content: session.prompt },
      { path: `${folder}/reasoning.md`, content: redact(session.log.text(), resources.secrets) },
      { path: `${folder}/review.json`, content: `${JSON.stringify(review, null, 2)}\n` },
    ],
  };
}

/** What went wrong is in its log. */
function unasked(fault: unknown, log: ReasoningLog): Answer {
  log.add({ type: 'notice', text: fault instanceof Error ? (fault.stack ?? fault.message) : String(fault) });
  return without(
    fault instanceof WorktreeUnusable ? fault.message : 'a fault of Coxswain kept it from being asked',
  );
}

interface Session {
  readonly log: ReasoningLog;
  prompt: string;
  cost: NonNullable<FoundReview['cost']>;
  /** It was not shown all of the change, now or before. */
  isPartial: boolean;
}

const reviewStage = 'review';

/** A reviewer reads: it edits nothing and asks nobody, and its role is its own. */
function settingsOf({ settings }: State, { agent, instructions, limits = {}, told }: Reviewer): Settings {
  const { questions, instructions: _, permissions, ...rest } = settings;
  const { rules = {}, hold_s = 0, execute = 'allow' } = permissions ?? {};
  return {
    ...rest,
    agent,
    ...(instructions !== undefined && { instructions }),
    limits: strictest(rest.limits, limits),
    stages: [{ name: reviewStage, ...(told !== undefined && { instructions: told }) }],
    ...(questions !== undefined && { questions: { ...questions, enabled: false } }),
    permissions: { edit: 'deny', delete: 'deny', move: 'deny', execute, rules, hold_s },
  };
}

interface Asking {
  readonly results: readonly VerifierResult[];
  readonly signal: AbortSignal;
  readonly session: Session;
}

type Answer = ReturnType<typeof readAnswer>;

async function opinionOf({ assignment, resources }: Verifying, asking: Asking): Promise<Answer> {
  const refusal = missingKey(assignment, resources);
  if (refusal !== null) return without(refusal.message);
  const { context, remove } = await openWorkspace(assignment, resources);
  try {
    return await askIn(context, { assignment, resources }, asking);
  } finally {
    asking.session.cost = costOf(context.network.spentAtEnd(), asking.session.log.cost);
    // What is left is removed with the workspaces of processes that no longer exist.
    await remove().catch(() => undefined);
  }
}

async function askIn(
  context: SandboxContext,
  { assignment, resources }: Verifying,
  { results, signal, session }: Asking,
): Promise<Answer> {
  const { state } = assignment;
  const giving = await readGiving(context, assignment, resources);
  if (giving.kind === 'failed') return without(giving.failure.message);
  const change = await changeFor(assignment, resources.mirror);
  session.isPartial = change.isCut || (change.since && state.review?.partial === true);
  session.prompt = redact(
    reviewPrompt(state, { ...change, results, told: giving.given.stage }),
    resources.secrets,
  );
  await writeFile(promptFile(context), session.prompt);
  await giving.place();
  const progress = new ProgressOf();
  progress.enter('agent');
  const { log, prompt } = session;
  const given = {
    assignment,
    resources,
    live: undefined,
    prompt,
    images: [],
    skills: giving.skills,
    log,
    progress,
  };
  const timeoutMs = state.settings.limits.minutes * 60_000;
  const { outcome } = await runAgent(context, { ...given, timeoutMs }, signal);
  return answerOf(outcome);
}

function answerOf(outcome: Outcome): Answer {
  switch (outcome.kind) {
    case 'completed':
      return readAnswer(outcome.said ?? outcome.report.summary);
    case 'failed':
      return without(outcome.failure.message);
    case 'limited':
      return without('its model has hit its usage limit');
    case 'cancelled':
      return without('it was stopped');
  }
}

const maxLines = 3_000;
const maxCharacters = 200_000;
/** How a line ends that was too long to be read. */
const cutLine = /\.\.\. \(\d+ more bytes\)$/m;

/**
 * The whole change, or what is new since the last opinion where that is still part of the branch, and nothing
 * of it was left out.
 */
async function changeFor({ state, commit }: Assignment, mirror: Mirror) {
  const { confidence = null, omitted = 0, head: last = null } = state.review ?? {};
  const former = confidence === null || omitted > 0 ? null : last;
  const known = former === null ? undefined : await mirror.resolve(former);
  const since = known !== undefined && known !== commit && (await isBefore(mirror, known, commit));
  const base = since ? known : await baseOf(state, mirror);
  const options = { repository: state.run.repo, budget: maxLines };
  const { files, summary, truncated } = await diffBetween(mirror.dir, { base, head: commit }, options);
  // What is cut is the largest, which hides nothing behind it.
  const shortestFirst = files.map(({ diff }) => diff).toSorted((one, other) => one.length - other.length);
  const text = [summary, ...shortestFirst].join('\n\n');
  const isCut = truncated || text.length > maxCharacters || cutLine.test(text);
  return { diff: isCut ? beginningOf(text, maxCharacters) : text, base, since, isCut };
}

async function isBefore({ dir }: Mirror, one: string, other: string): Promise<boolean> {
  const merged = await git(['merge-base', one, other], inside(dir)).catch(() => ''); // nothing in common
  return merged.trim() === one;
}

/**
 * Which of the open concerns may have had their lines changed since the last opinion that counts, and where
 * the others are now.
 */
async function sinceNamed(
  { review }: State,
  mirror: Mirror,
  commit: string,
): Promise<Pick<FoundReview, 'touched' | 'lines'>> {
  const open = review === undefined ? [] : openConcerns(review);
  const since = review?.confidence == null ? null : review.head;
  const from = since === null ? undefined : await mirror.resolve(since);
  if (open.length === 0 || from === undefined) return { touched: open.map(({ id }) => id) };
  const touched: string[] = [];
  const lines: Record<string, number> = {};
  for (const { id, file, line } of open) {
    const options = ['--unified=0', '--no-ext-diff', '--no-renames', '--end-of-options', from, commit, '--'];
    const diff = await git(['diff', ...options, `:(top,literal)${file}`], inside(mirror.dir)).catch(
      () => undefined,
    );
    const hunks = hunksIn(diff ?? '');
    // A reviewer may name what is no path.
    if (diff === undefined || (line === undefined ? diff !== '' : hunks.some((hunk) => touches(hunk, line))))
      touched.push(id);
    else if (line !== undefined) lines[id] = line + shiftAt(line, hunks);
  }
  return { touched, lines };
}

interface Hunk {
  /** The first line of the former version that it replaces, or after which it adds. */
  readonly from: number;
  readonly removed: number;
  readonly added: number;
}

function hunksIn(diff: string): readonly Hunk[] {
  const headers = diff.matchAll(/^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@/gm);
  return [...headers].map(([, from, removed = '1', added = '1']) => ({
    from: Number(from),
    removed: Number(removed),
    added: Number(added),
  }));
}

/** Whether it replaces, removes or adds next to the line of the former version. */
function touches({ from, removed }: Hunk, line: number): boolean {
  return line >= from && line <= from + Math.max(removed - 1, 0);
}

/** By how many lines the hunks before a line have moved it. */
function shiftAt(line: number, hunks: readonly Hunk[]): number {
  const before = hunks.filter(({ from }) => from < line);
  return before.reduce((sum, { removed, added }) => sum + added - removed, 0);
}
