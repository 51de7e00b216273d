import { objectionToApproving } from '../approval/approving.ts';
import type { CommandName } from '../commands/index.ts';
import type { Refusal } from '../effects/pending-effect.ts';
import { mostIterations, wayBack } from '../holding/undoing.ts';
import { iterationsLeft } from '../iterations.ts';
import type { Person } from '../person.ts';
import { objectionToPerson } from '../policy.ts';
import { refusalOfText } from '../questions/answering.ts';
import type { State } from '../state.ts';
import { possibleIn } from '../table.ts';

/** Who would say a command, and when, ISO 8601. */
export interface Asking {
  readonly by: Person;
  readonly at: string;
}

/**
 * The commands available now that would not be refused if this person said them as they are: what may be
 * recommended to them.
 */
export function advisableTo(state: State, asking: Asking): readonly CommandName[] {
  return possibleIn(state).filter((name) => foreseenRefusal(state, name, asking) === undefined);
}

/**
 * Why an available command would be refused if this person said it now, with no more than the commit under
 * review. What depends on more than that, such as a question that was asked only just now, is not foreseen.
 */
export function foreseenRefusal(state: State, name: CommandName, { by, at }: Asking): Refusal | undefined {
  const objection = objectionToPerson(state, name, by);
  if (objection !== undefined) return objection;
  if (name === 'approve') return refusalOfApproval(state, { by, at });
  if (name === 'answer') return refusalOfText(state, by);
  if (name === 'undo') return refusalOfUndo(state);
  if (name === 'extend' && state.max_iterations >= mostIterations)
    return { why: 'extended_enough', max: state.max_iterations };
  return name === 'steer' && !iterationsLeft(state)
    ? { why: 'iterations_used_up', max: state.max_iterations }
    : undefined;
}

function refusalOfUndo(state: State): Refusal | undefined {
  const way = wayBack(state, null);
  return 'why' in way ? way : undefined;
}

function refusalOfApproval(state: State, { by, at }: Asking): Refusal | undefined {
  const { shown, head, standing } = state;
  if (standing.phase === 'awaiting_stage') return undefined;
  if (shown === null) return { why: 'nothing_to_approve', phase: standing.phase };
  const command = { type: 'approve', sha: head, despite: [] } as const;
  const source = { from: 'comment', comment_id: 0, text_sha256: '', written_at: at } as const;
  return objectionToApproving(state, shown, { command, by, source, at });
}
