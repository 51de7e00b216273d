import { possibleIn } from '../../steering/phases/table.ts';
import { otherBase, startedOver } from '../../steering/phrases/sentences.ts';
import { shownPhase } from '../../steering/shapes/standing.ts';
import type { State } from '../../steering/state/state.ts';
import { approvingText } from './approvals.ts';
import { approveAgain, pullLink } from './phrases.ts';
import { remindedText } from './policy.ts';
import { askedPeople, requestedText } from './resolving.ts';
import { code, lengthOf, maxBody, type Part, paragraphs } from './sanitize.ts';

/** What changed while this was under review, so that whoever approves has to say which commit they mean. */
export function namedText(state: State): string {
  const { pushed_while_shown, base_left_while_shown, restored, run, head } = state;
  const how = `${approveAgain(state, head)}.`;
  if (base_left_while_shown) return `${otherBase(code(run.base))} before: ${how}`;
  if (!pushed_while_shown) return '';
  return `${restored ? `This ${startedOver}` : 'Someone pushed while this was under review'}: ${how}`;
}

export function closing(state: State, web: string): readonly Part[] {
  const checks = pullLink(web, state, 'checks');
  const [open] = state.questions ?? [];
  // An answer in words of one's own needs a comment.
  const hasButtons = shownPhase(state) !== 'awaiting_answer' || open?.asked.options !== undefined;
  const isClickable = state.run.presenter === 'app' && hasButtons;
  const only = possibleIn(state).includes('approve') ? approvingText(state) : '';
  const approved = only === '' ? '' : ` Approval takes ${only}: a comment does not count.`;
  const buttons = isClickable ? ` There are buttons on the [Checks tab](${checks}).` : '';
  const people = state.standing.phase === 'awaiting_resolution' ? askedPeople(state) : requestedText(state);
  return [remindedText(state), `${people}${approved}${buttons}`];
}

/** Evidence gives way to what people need to decide, where a comment has no room for both. */
export function fitting(
  state: State,
  web: string,
  evidence: readonly Part[],
  write: (evidence: readonly Part[]) => readonly Part[],
): string {
  const whole = paragraphs(write(evidence));
  if (lengthOf(whole) <= maxAsk) return whole;
  const rest = `The evidence is in [its checks](${pullLink(web, state, 'checks')}).`;
  return paragraphs(write([rest]));
}

/** There has to be room for how it was settled. */
const maxAsk = maxBody - 4000;
