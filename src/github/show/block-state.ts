import { z } from 'zod';
import type { GateHit } from '../../steering/attempt-result.ts';
import type { Decision } from '../../steering/confidence/decision.ts';
import type { Band } from '../../steering/confidence/score.ts';
import { type ApprovalRequest, approvalRequestOf } from '../../steering/interactions/approval-request.ts';
import { openInteraction } from '../../steering/interactions/interactions.ts';
import { sumOfSeconds } from '../../steering/spending/duration.ts';
import {
  type Interaction,
  type Phase,
  type SettledInteraction,
  shownPhase,
} from '../../steering/standing.ts';
import type { State, SteeringIteration } from '../../steering/state.ts';
import { isOver } from '../../steering/table.ts';
import type { Task } from '../../steering/task.ts';

/** The data other programs read from the pull request's body. Its names are a public interface. */
export interface BlockState {
  readonly version: 1;
  /** The ledger's sequence number; an older rendering never overwrites a newer one. */
  readonly seq: number;
  /** `owner/repo#n` */
  readonly run: string;
  readonly phase: Phase;
  readonly task: Task;
  readonly iteration: number;
  readonly max_iterations: number;
  readonly attempt: number;
  readonly max_attempts: number;
  readonly head_sha: string;
  readonly score: number | null;
  readonly band: Band | null;
  readonly unverified: boolean;
  readonly decision: Decision | null;
  readonly gates: readonly GateHit[];
  /** With what people are asked; absent in blocks of older versions. */
  readonly open_interaction: (Interaction & Partial<ApprovalRequest>) | null;
  /**
   * Oldest first. Iteration 0 is only left out when the block is encoded. If the body gets too long, the
   * oldest iterations are shortened, then left out.
   */
  readonly history: readonly SteeringIteration[];
  readonly interactions: readonly SettledInteraction[];
  /** The ref with the full history. */
  readonly ledger: string;
}

export function blockOf(state: State): BlockState {
  const { shown, standing, settings, run } = state;
  return {
    version: 1,
    seq: state.seq,
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
    open_interaction: openRequest(state),
    history: state.iterations.map(withRoundTime),
    interactions: state.interactions,
    ledger: `refs/coxswain/${isOver(standing.phase) ? 'closed' : 'open'}/${run.number}`,
  };
}

function openRequest(state: State): BlockState['open_interaction'] {
  const open = openInteraction(state);
  return open === null ? null : { ...open, ...approvalRequestOf(state) };
}

/** Older versions recorded sums as they were computed, such as 5.199999999999999. */
function withRoundTime(iteration: SteeringIteration): SteeringIteration {
  return { ...iteration, duration_s: sumOfSeconds(iteration.duration_s, 0) };
}

/**
 * One line of JSON that cannot close the HTML comment around it. Its history has only steered iterations;
 * iteration 0 is in the table and in the ledger.
 */
export function encodeBlock(block: BlockState): string {
  const history = block.history.filter(({ iteration_number }) => iteration_number > 0);
  return JSON.stringify({ ...block, history }).replace(/[<>&\u2028\u2029]/g, escaped);
}

/** Parses the JSON found in a body; anyone with write access may have changed it. */
export function decodeBlock(json: string): BlockState | undefined {
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
