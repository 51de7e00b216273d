import { objectionToPerson } from '../approval/policy.ts';
import { objectionToWay } from '../approval/ways.ts';
import { type CommandName, isQuery, specOf } from '../commands/index.ts';
import { type Asking, possibleIn, refusalOf } from '../phases/table.ts';
import type { Refusal } from '../state/pending-effect.ts';
import type { State } from '../state/state.ts';

/**
 * The commands available now that would not be refused if this person said them as they are: what may be
 * recommended to them.
 */
export function advisableTo(state: State, asking: Asking): readonly CommandName[] {
  return possibleIn(state).filter((name) => foreseenRefusal(state, name, asking) === undefined);
}

/**
 * Why an available command would be refused if this person said it now, with no more than its example. What
 * depends on more than that, such as a question that was asked only just now, is not foreseen.
 */
export function foreseenRefusal(state: State, name: CommandName, asking: Asking): Refusal | undefined {
  const objection = objectionToPerson(state, name, asking.by);
  if (objection !== undefined || isQuery(name) || specOf(name).wordsDecide) return objection;
  return objectionToWay(state, name, 'comment') ?? refusalOf(state, name, asking);
}
