import { decide } from '../../src/steering/decide.ts';
import type { Event } from '../../src/steering/state/event.ts';
import type { State } from '../../src/steering/state/state.ts';
import { allPhases, runIn } from '../steering/phases.ts';
import { ada, bob, mia, secret } from '../steering/samples.ts';
import { type Story, story } from '../steering/story.ts';

/** One moment of a run: its state, what happened before, and in which iteration its head was evaluated. */
export interface Moment {
  readonly state: State;
  readonly events: readonly Event[];
  readonly evaluatedIn: number;
}

/** Every moment of these events, by what `decide` makes of them. */
export function momentsOf(events: readonly Event[]): readonly Moment[] {
  const moments: Moment[] = [];
  for (const event of events) {
    const moment = momentAfter(moments.at(-1), event);
    if (moment !== undefined) moments.push(moment);
  }
  return moments;
}

/** Undefined if the event changes nothing. */
export function momentAfter(before: Moment | undefined, event: Event): Moment | undefined {
  const verdict = decide(before?.state, event);
  if (verdict.outcome === 'nothing') return undefined;
  const { state } = verdict;
  const isFresh = state.shown?.at !== before?.state.shown?.at;
  // The event that ends the work of an iteration can begin the next one.
  const evaluatedIn = isFresh ? (before?.state.iteration ?? 0) : (before?.evaluatedIn ?? 0);
  return { state, events: [...(before?.events ?? []), event], evaluatedIn };
}

const reviewed = (): Story => story().starts().works();
const steered = (): Story => reviewed().says(bob, '/steer use the clock');

/** What can follow upon each kind of evidence, each to its end. */
export const walks: Readonly<Record<string, Story>> = {
  ...Object.fromEntries(allPhases.map((phase) => [phase, runIn[phase]()])),
  'a steer that is worked on and approved': steered().works().says(mia, '/approve').confirms().merges(mia),
  'a steer whose agent fails': failing(steered()),
  'a steer whose work is held, allowed and verified': steered()
    .agent.isHeld()
    .says(mia, '/allow')
    .engine.takes()
    .engine.lands()
    .verifiers.pass(),
  'a steer whose held work nobody answers': steered().agent.isHeld([secret]).waits(24),
  'a steer whose held work is denied': steered().agent.isHeld().says(mia, '/deny no').says(mia, '/cancel'),
  'a steer whose agent asks': steered().engine.takes().agent.asks().says(mia, '/allow').agent.finishes(),
  'a steer that is rejected while it is worked on': steered().engine.takes().says(mia, '/reject no'),
  'a steer during which the branch is deleted': steered().engine.takes().deletesBranch(bob),
  'a steer during which Coxswain breaks': steered().engine.takes().engine.breaks().says(mia, '/retry'),
  'a merge in the middle of the work': steered().engine.takes().merges(mia),
  'a push under review': reviewed().pushes(bob).verifiers.pass().says(mia, '/verify'),
  'a push that breaks the tests': reviewed().pushes(bob).verifiers.fail('test'),
  'a push after the approval': reviewed().says(mia, '/approve').confirms().pushes(bob).verifiers.pass(),
  'another base': reviewed().retargets(bob, 'next').verifiers.pass(),
  'red, then overridden': runIn
    .awaiting_resolution()
    .says(ada, '/approve')
    .says(mia, '/approve --despite test')
    .confirms(),
  'red, then tried again': runIn.awaiting_resolution().says(ada, '/retry').engine.takes().agent.finishes(),
  'a steer that changes nothing': steered()
    .agent.finishes({ changesNothing: true })
    .verifiers.pass()
    .says(mia, '/approve'),
  'a steer that changes nothing, and a test that fails': steered()
    .agent.finishes({ changesNothing: true })
    .verifiers.fail('test'),
  'a steer during the work': story().starts().engine.takes().says(bob, '/steer more').works().engine.takes(),
  'two approvals': story({ approval: { required: 2 } })
    .starts()
    .works()
    .says(bob, '/approve')
    .says(mia, '/approve'),
  'nobody approves their own work': story({ approval: { steerer_may_approve: false } })
    .starts()
    .works()
    .says(bob, '/steer more')
    .works(),
  'timed out and resumed': runIn.timed_out().says(ada, '/resume'),
  'closed and reopened': reviewed().closes(bob).reopens(bob).says(ada, '/resume').verifiers.pass(),
  'merged by Coxswain': story({ approval: { finish: 'merge' } })
    .starts()
    .works()
    .says(mia, '/approve')
    .confirms(),
};

function failing(run: Story): Story {
  return run.agent.fails().agent.fails().agent.fails();
}
