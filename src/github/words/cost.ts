import { currentIteration } from '../../steering/iterations.ts';
import { spentBefore } from '../../steering/spending/spending.ts';
import { isInProgress } from '../../steering/standing.ts';
import type { State } from '../../steering/state.ts';
import { costText } from '../../text/amounts.ts';
import { budgetText } from './budget.ts';

/**
 * What a run has cost; empty while work is in progress, which would have to be drawn again after each
 * attempt, and where the budget is the subject anyway.
 */
export function costLine(state: State): string {
  const all = costText(spentBefore(state));
  if (all === '' || isInProgress(state.standing.phase) || budgetText(state) !== '') return '';
  if (state.iteration === 0) return `**Cost** ${all}.`;
  const current = costText(currentIteration(state).cost);
  if (current === '') return `**Cost** ${all}; none is reported for this iteration.`;
  return `**Cost** ${all}, of which this iteration ${current}.`;
}
