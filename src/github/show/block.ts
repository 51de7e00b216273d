import { z } from 'zod';
import type { Sealed, Seals } from '../../seal/seals.ts';
import { type ApprovalRequest, approvalRequestOf } from '../../steering/announcements.ts';
import { openInteraction } from '../../steering/iterations/interactions.ts';
import { isCiSkipped } from '../../steering/iterations/iteration.ts';
import { type InterruptPayload, interruptPayload } from '../../steering/iterations/requests-for-programs.ts';
import { sumOfSeconds } from '../../steering/iterations/spending.ts';
import { isOver } from '../../steering/phases/table.ts';
import { type Interaction, type SettledInteraction, shownPhase } from '../../steering/shapes/standing.ts';
import type { Task } from '../../steering/shapes/task.ts';
import type { State, SteeringIteration } from '../../steering/state/state.ts';
import { cut, relatedText } from '../../words/index.ts';
import { dueText } from '../../words/parts/merge-texts.ts';
import { lengthOf, maxBody } from '../../words/parts/sanitize.ts';
import { runTable } from '../../words/run-table.ts';
import { textSha256 } from '../marks.ts';

interface BlockOptions {
  /** The App's, which prove that it wrote the block's data. */
  readonly seals?: Seals | undefined;
  /** What is being done, in one line for people; the block's data says nothing of it. */
  readonly atWork?: string | undefined;
}

/**
 * The body with the run's block in it. The text around the block stays byte for byte the same; if there is no
 * room for even the shortest block, the body contains only that text.
 */
export function writeBlock(body: string, state: State, options: BlockOptions = {}): string {
  const { before, after } = around(body, state.run.id);
  const gap = before === '' || ownSpans(body, state.run.id).length > 0 ? '' : '\n\n';
  const room = maxBody - lengthOf(before) - lengthOf(after) - gap.length;
  const drawn = (shorter: Shortened): string => renderBlock(shorter, state, options);
  const form = longestThatFits(blockOf(state), (shorter) => lengthOf(drawn(shorter)) <= room);
  return form === undefined ? before + after : before + gap + drawn(form) + after;
}

/** The block in a body, of this run if one is named; undefined if there is none or it cannot be read. */
export function readBlock(body: string, run?: string): BlockState | undefined {
  const spans = run === undefined ? spansOf(body) : ownSpans(body, run);
  return spans.at(-1)?.block;
}

/** The run's block in a body, if we wrote it: anyone with write access can edit a body. */
export function readSealedBlock(body: string, run: string, seal: BlockSeal): BlockState | undefined {
  return ownSpans(body, run).findLast(({ json }) => json !== undefined && isSealed(json, seal))?.block;
}

/** Whether a body contains a block, even a damaged one. */
export function hasBlock(body: string): boolean {
  return spansOf(body).length > 0;
}

/** The text of the run's block in a body, with normalized line ends; undefined if there is none. */
export function blockIn(body: string, run: string): string | undefined {
  const span = ownSpans(body, run).at(-1);
  return span === undefined ? undefined : body.slice(span.from, span.to).replaceAll('\r\n', '\n');
}

/** Whether an edit changed, added or removed a block; line ends do not count. */
export function hasOtherBlock({
  before,
  after,
}: {
  readonly before: string;
  readonly after: string;
}): boolean {
  return blocksIn(before) !== blocksIn(after);
}

function blocksIn(body: string): string {
  const blocks = spansOf(body).map(({ from, to }) => body.slice(from, to));
  return blocks.join('\n').replaceAll('\r\n', '\n');
}

/** The body without the run's block: what people wrote. */
export function humanText(body: string, run: string): string {
  const { before, after } = around(body, run);
  return before + after;
}

/** The position of a block; a damaged one has no `block`. */
interface BlockSpan {
  readonly from: number;
  readonly to: number;
  readonly whole: boolean;
  readonly json: string | undefined;
  readonly block: BlockState | undefined;
}

const begin = '<!-- coxswain:begin -->';
const end = '<!-- coxswain:end -->';
const lines = /^<!-- coxswain:(begin|end|state (\{.*\})) -->(?=[ \t]*\r?$)/gm;

function renderBlock({ block, leftOut }: Shortened, state: State, { seals, atWork }: BlockOptions): string {
  const { requested_by, restored, run } = state;
  const requester = restored === undefined ? requested_by.login : null;
  const table = runTable(block, {
    leftOut,
    requester,
    restored: restored ?? null,
    ciWaits: isCiSkipped(state),
    due: dueText(state),
    links: relatedText(state),
    atWork,
  });
  const json = encodeBlock(block);
  const sealed = seals === undefined ? json : withSeal(json, { seals, ...run });
  return `${begin}\n${table}\n\n<!-- coxswain:state ${sealed} -->\n${end}`;
}

/** The text before and after the block; a new block goes at the end. */
function around(body: string, run: string): { readonly before: string; readonly after: string } {
  const spans = ownSpans(body, run);
  const last = spans.at(-1);
  if (last === undefined) return { before: body, after: '' };
  const earlier = spans.slice(0, -1).reverse();
  const before = earlier.reduce(
    (text, { from, to }) => text.slice(0, from) + text.slice(to),
    body.slice(0, last.from),
  );
  return { before, after: body.slice(last.to) };
}

/** The blocks of this run, else the last complete block: it is damaged or from before a rename. */
function ownSpans(body: string, run: string): readonly BlockSpan[] {
  const spans = spansOf(body);
  const own = spans.filter(({ block }) => block?.run === run);
  return own.length > 0 ? own : spans.filter(({ whole }) => whole).slice(-1);
}

/** Every block in a body, including those that lost a marker but still have their line of state. */
function spansOf(body: string): readonly BlockSpan[] {
  const spans: BlockSpan[] = [];
  let open: { from: number; to: number; json: string | undefined } | undefined;
  const close = (to: number, whole: boolean): void => {
    const block = open?.json === undefined ? undefined : decodeBlock(open.json);
    if (open !== undefined && (whole || block !== undefined))
      spans.push({ from: open.from, to, whole, json: open.json, block });
    open = undefined;
  };
  for (const match of body.matchAll(lines)) {
    const to = match.index + match[0].length;
    if (match[1] === 'end') close(to, true);
    else if (match[1] === 'begin') {
      close(open?.to ?? to, false);
      open = { from: match.index, to, json: undefined };
    } else if (open === undefined || open.json !== undefined) {
      close(open?.to ?? to, false);
      open = { from: match.index, to, json: match[2] };
    } else open = { ...open, to, json: match[2] };
  }
  close(open?.to ?? 0, false);
  return spans;
}

/** Whose block it is, and how to prove that we wrote it. */
interface BlockSeal {
  readonly seals: Seals;
  readonly repository_id: number;
  /** The pull request's number. */
  readonly number: number;
}

const ending = /,"seal":"([^"\\]*)"\}$/;

/** Adds the last key, `seal`, to a block's JSON. */
function withSeal(json: string, of: BlockSeal): string {
  return `${json.slice(0, -1)},"seal":${JSON.stringify(of.seals.seal(sealed(json, of)))}}`;
}

/** Whether we wrote this JSON for this pull request; anyone with write access can edit its body. */
function isSealed(json: string, of: BlockSeal): boolean {
  const [text, seal] = ending.exec(json) ?? [];
  if (text === undefined) return false;
  const unsealed = `${json.slice(0, -text.length)}}`;
  return of.seals.check(sealed(unsealed, of), seal).seal === 'sound';
}

/** The JSON contains the sequence number. */
function sealed(json: string, { repository_id, number }: BlockSeal): Sealed {
  return { label: 'block', parts: [String(repository_id), String(number), textSha256(json)] };
}

/** A block and how many iterations it no longer lists. */
interface Shortened {
  readonly block: BlockState;
  readonly leftOut: number;
}

/**
 * The longest form of a block that fits; undefined when none does.
 * The oldest iterations lose their texts first, then they are left out.
 */
function longestThatFits(whole: BlockState, fits: (form: Shortened) => boolean): Shortened | undefined {
  // Each form is shorter than the one before, so a binary search finds the first that fits.
  let [low, high] = [0, 2 * whole.history.length + 2];
  let found: Shortened | undefined;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const form = formOf(whole, middle);
    if (fits(form)) {
      found = form;
      high = middle - 1;
    } else low = middle + 1;
  }
  return found;
}

/** Form 0 is the whole block; each further form contains a little less. */
function formOf(whole: BlockState, step: number): Shortened {
  const count = whole.history.length;
  if (step <= count) {
    const history = whole.history.map((each, index) => (index < step ? briefIteration(each) : each));
    return { block: { ...whole, history }, leftOut: 0 };
  }
  const brief = briefBlock(whole);
  const leftOut = Math.min(step - count - 1, count);
  const block = { ...brief, history: brief.history.slice(leftOut) };
  return step <= 2 * count + 1
    ? { block, leftOut }
    : { block: { ...block, interactions: [], gates: [] }, leftOut };
}

const briefText = 200;
const briefNames = 20;

function briefBlock(whole: BlockState): BlockState {
  return {
    ...whole,
    task: briefTask(whole.task),
    open_interaction: briefRequest(whole),
    history: whole.history.map(briefIteration),
    gates: whole.gates
      .slice(0, briefNames)
      .map((gate) => ({ ...gate, evidence: cut(gate.evidence, briefText) })),
    interactions: whole.interactions.slice(-briefNames),
  };
}

/** What people are asked, without the lists of what is known about it. */
function briefRequest({ open_interaction: open }: BlockState): BlockState['open_interaction'] {
  if (open?.details === undefined) return open;
  const summary = cut(open.details.summary, briefText);
  return { ...open, details: { summary, files: [], commands: [], verifiers: [], gates: [] } };
}

function briefIteration(iteration: SteeringIteration): SteeringIteration {
  return {
    ...iteration,
    prompt: cut(iteration.prompt, briefText),
    output: cut(iteration.output, briefText),
    steers: iteration.steers
      .slice(0, briefNames)
      .map((steer) => ({ ...steer, prompt: cut(steer.prompt, briefText) })),
    files_modified: iteration.files_modified.slice(0, briefNames).map((path) => cut(path, briefText)),
    verifiers: iteration.verifiers.slice(0, briefNames),
  };
}

function briefTask(task: Task): Task {
  return {
    ...task,
    title: cut(task.title, briefText),
    description: cut(task.description, briefText),
    acceptance_criteria: task.acceptance_criteria.slice(0, briefNames).map((line) => cut(line, briefText)),
    depends_on: task.depends_on.slice(0, briefNames).map((id) => cut(id, briefText)),
  };
}

/** The data other programs read from the pull request's body. Its names are a public interface. */
export type BlockState = ReturnType<typeof blockOf>;

export function blockOf(state: State) {
  const { shown, standing, settings, run } = state;
  return {
    version: 1,
    /** The ledger's sequence number; an older rendering never overwrites a newer one. */
    seq: state.seq,
    /** `owner/repo#n` */
    run: run.id,
    phase: shownPhase(state),
    task: state.task,
    iteration: state.iteration,
    max_iterations: state.max_iterations,
    attempt: state.attempt,
    max_attempts: settings.attempts.max,
    head_sha: state.head,
    score: shown?.confidence.score ?? null,
    band: shown?.confidence.band ?? null,
    unverified: shown?.confidence.unverified ?? false,
    decision: shown?.decision ?? null,
    gates: shown?.gates ?? [],
    /** With what people are asked; absent in blocks of older versions. */
    open_interaction: openRequest(state),
    /** Why people have to say how to go on; null unless they do, absent in blocks of older versions. */
    interrupt: openInterrupt(state),
    /**
     * Oldest first. Iteration 0 is only left out when the block is encoded. If the body gets too long, the
     * oldest iterations are shortened, then left out.
     */
    history: state.iterations.map(withRoundTime),
    /** Of a question of an agent and its answer, the beginning; the ledger has the whole. */
    interactions: state.interactions.map(briefQuestion),
    /** The ref with the full history. */
    ledger: `refs/coxswain/${isOver(standing.phase) ? 'closed' : 'open'}/${run.number}`,
  };
}

/** A run may have 25 questions with 25 options each, for which a body has no room. */
function briefQuestion({ question, reply, ...rest }: SettledInteraction): SettledInteraction {
  return {
    ...rest,
    ...(question && { question: { id: question.id, question: cut(question.question, briefText) } }),
    ...(reply !== undefined && { reply: cut(reply, briefText) }),
  };
}

function openRequest(state: State): (Interaction & Partial<ApprovalRequest>) | null {
  const open = openInteraction(state);
  return open === null ? null : { ...open, ...approvalRequestOf(state) };
}

/** The rest of it is in the task, in the history and in what people are asked. */
function openInterrupt(state: State): Pick<InterruptPayload, 'type' | 'cause'> | null {
  const payload = interruptPayload(state);
  return payload === null ? null : { type: payload.type, cause: payload.cause };
}

/** Older versions recorded sums as they were computed, such as 5.199999999999999. */
function withRoundTime(iteration: SteeringIteration): SteeringIteration {
  return { ...iteration, duration_s: sumOfSeconds(iteration.duration_s, 0) };
}

/**
 * One line of JSON that cannot close the HTML comment around it. Its history has only steered iterations;
 * iteration 0 is in the table and in the ledger.
 */
function encodeBlock(block: BlockState): string {
  const history = block.history.filter(({ iteration_number }) => iteration_number > 0);
  return JSON.stringify({ ...block, history }).replace(/[<>&\u2028\u2029]/g, escaped);
}

/** Parses the JSON found in a body; anyone with write access may have changed it. */
function decodeBlock(json: string): BlockState | undefined {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  const parsed = blockShape.safeParse(value);
  // The schema below checks what we act on and passes the rest through.
  return parsed.success ? (parsed.data as unknown as BlockState) : undefined;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

const count = z.int().min(0);
const text = z.string();

const blockShape = z.looseObject({
  version: z.literal(1),
  seq: count,
  run: text,
  phase: text,
  task: z.looseObject({ id: text, title: text, description: text }),
  iteration: count,
  max_iterations: count,
  attempt: count,
  max_attempts: count,
  head_sha: text,
  score: z.number().nullable(),
  gates: z.array(z.looseObject({ rule: text })),
  history: z.array(
    z.looseObject({
      iteration_number: count,
      prompt: text,
      timestamp: text,
      steers: z.array(z.looseObject({ prompt: text, author: text })),
      head_before: text,
      head_after: text,
    }),
  ),
  interactions: z.array(z.looseObject({ id: text, settled_at: text, by: text, how: text })),
  ledger: text,
});
