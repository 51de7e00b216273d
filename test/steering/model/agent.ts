import { holdsLease } from '../../../src/steering/iterations/step.ts';
import type { ParkReason } from '../../../src/steering/shapes/agent-progress.ts';
import type { AskedQuestion } from '../../../src/steering/shapes/question.ts';
import type { Working } from '../../../src/steering/shapes/standing.ts';
import type { EventOf, Stamp } from '../../../src/steering/state/event.ts';
import type { State } from '../../../src/steering/state/state.ts';
import { keptRef, removal } from '../samples.ts';
import type { Dice } from './dice.ts';
import type { Job } from './job.ts';
import type { Process } from './process.ts';

/** What an agent at work asks and is told, and why it is stopped before it has finished. */

/** What it does now instead of going on, if anything; `undefined` if it goes on. */
export function meanwhile(
  process: Process,
  { hold, state: { head } }: Job,
  dice: Dice,
): AgentEvent | 'waits' | undefined {
  const standing = standingOf(process.newest, hold);
  const stamp = (what: string) => ({ id: `attempt:${hold.holder}:${what}`, at: process.clock, hold });
  const parked = (because: ParkReason, given: { readonly until?: string } = {}): AgentEvent => {
    const made = process.hub.newCommit();
    const left = dice.rarely(2) ? null : { head_before: head, head: made, kept: keptRef(made) };
    return { type: 'work_parked', ...stamp('parked'), because, left, duration_s: 1, ...given };
  };
  if (standing === undefined) return dice.rarely(3) ? parked('stopped') : undefined;
  if (standing.held !== undefined) return undefined;
  const [steer] = standing.telling ?? [];
  if (steer !== undefined) {
    const how = dice.oneOf('injected', 'restarted_turn', 'unable' as const);
    return { type: 'steer_told', ...stamp(`told:${steer.id}`), steer: steer.id, how };
  }
  if (standing.asking !== undefined) {
    const call = standing.asking.call.id;
    const lapsed = { type: 'permission_lapsed', ...stamp(`${call}:withdrawn`), call } as const;
    return [parked('permission'), { ...lapsed, because: 'withdrawn' } as const, 'waits' as const][
      dice.roll(3)
    ];
  }
  const open = process.newest?.questions?.find(({ interaction: { of } }) => of?.attempt === hold.attempt);
  if (open !== undefined) {
    const question = open.asked.id;
    const withdrawn = { type: 'question_withdrawn', ...stamp(`${question}:withdrawn`), question } as const;
    return [parked('question'), withdrawn, 'waits' as const][dice.roll(3)];
  }
  const id = `ask-${process.hub.newId()}`;
  const until = (minutes: number) => new Date(process.hub.now + minutes * 60_000).toISOString();
  switch (dice.roll(20)) {
    case 19:
      return { type: 'permission_requested', ...stamp(id), call: { ...removal, id }, until: until(1) };
    case 18:
      return { type: 'question_asked', ...stamp(id), asked: questionWith(id, dice) };
    case 17:
      return parked('rate_limit', { until: until(10) });
    case 16:
      return parked('stopped');
    default:
      return undefined;
  }
}

type AgentEvent = {
  [T in AgentEventType]: EventOf<T> & Stamp;
}[AgentEventType];
type AgentEventType =
  | 'work_parked'
  | 'steer_told'
  | 'permission_requested'
  | 'permission_lapsed'
  | 'question_asked'
  | 'question_withdrawn';

function questionWith(id: string, dice: Dice): AskedQuestion {
  return {
    ...{ id, question: dice.oneOf('Which?', 'Why?') },
    ...dice.oneOf({}, { options: ['Python', 'Rust'], default: 'Rust' }),
    ...dice.oneOf({}, { on_timeout: dice.oneOf<'default' | 'block' | 'fail'>('default', 'block', 'fail') }),
  };
}

function standingOf(state: State | undefined, hold: Job['hold']): Working | undefined {
  if (state === undefined || !holdsLease(state, hold)) return undefined;
  return state.standing.phase === 'working' ? state.standing : undefined;
}
