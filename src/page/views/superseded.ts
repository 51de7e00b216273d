import { nowText } from '../../github/words/index.ts';
import type { Event, EventOf } from '../../steering/event.ts';
import type { State } from '../../steering/state.ts';
import { iterationShown, supersededBy } from '../../steering/superseded.ts';
import { shortSha } from '../../steering/words/short-sha.ts';
import { type Html, html, type Value } from '../html.ts';
import type { Loaded } from '../load/loaded.ts';
import { details, shaCode } from './components.ts';

/** The commit that evidence on the page is of, where the run is about something else by now. */
export interface Superseded {
  readonly head: string;
  readonly iteration: number;
  /** What the run is about instead, as the end of a sentence. */
  readonly now: string;
}

/** For the evaluation of the head; undefined while it is what the run is about, and where there is none. */
export function supersededEvidence(state: State): Superseded | undefined {
  const by = supersededBy(state);
  if (by === undefined || state.shown === null) return undefined;
  return ofHead(state, nowText(by, state, iterationShown(state)));
}

/** For what the agent said of the head: verifying it again does not change that. */
export function supersededReport(state: State): Superseded | undefined {
  const by = supersededBy(state);
  if (by === undefined || by === 'verification') return undefined;
  return ofHead(state, nowText(by, state, iterationShown(state)));
}

/** For the verifiers of a commit that is no longer the head; undefined if the history does not say which. */
export function earlierVerification(state: State, events: Loaded<readonly Event[]>): Superseded | undefined {
  const last = 'value' in events ? events.value.findLast(isVerified) : undefined;
  if (last === undefined) return undefined;
  return { head: last.head, iteration: last.hold.iteration, now: headText(state, last.head) };
}

function isVerified(event: Event): event is EventOf<'verified'> {
  return event.type === 'verified';
}

/** What was verified for one base has to be verified again for another. */
function headText({ head, standing }: State, verified: string): string {
  const isAtWork = standing.phase === 'verifying';
  if (verified === head) return isAtWork ? 'it is being verified again' : 'it has not been verified again';
  return `the head, ${shortSha(head)}, ${isAtWork ? 'is being verified' : 'has not been verified'}`;
}

function ofHead(state: State, now: string): Superseded {
  return { head: state.head, iteration: iterationShown(state), now };
}

/** Content that steps back behind what the run is about: folded away, below what it is of. */
export function steppedBack(id: string, superseded: Superseded | undefined, content: Value): Html {
  if (superseded === undefined) return html`${content}`;
  const { head, iteration, now } = superseded;
  return html`<p class="superseded">Of iteration ${iteration}, commit ${shaCode(head)}; ${now}.</p>
${details({ id: `superseded-${id}`, summary: 'Show it' }, content)}`;
}
