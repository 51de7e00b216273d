import type { Phase } from '../../src/steering/shapes/standing.ts';
import { dependsOn } from './resolving-story.ts';
import { ada, bob, type Choices, planFirst, task } from './samples.ts';
import { type Story, story } from './story.ts';

/** A run in each phase, with as few events as possible. */
export const runIn: { readonly [P in Phase]: (choices?: Choices) => Story } = {
  blocked: (choices) =>
    story(choices).starts({}, { ...dependsOn({ 3: 'open' }), task: { ...task, depends_on: ['#3'] } }),
  queued: (choices) => story(choices).starts(),
  working: (choices) => story(choices).starts().engine.takes(),
  verifying: (choices) => story(choices).starts().agent.finishes(),
  awaiting_approval: (choices) => story(choices).starts().works(),
  awaiting_answer: (choices) => story(choices).starts().agent.wonders('Which?', ['a', 'b']).agent.parks(),
  awaiting_stage: (choices) =>
    story({ ...choices, stages: planFirst })
      .starts()
      .agent.plans('Do it.'),
  awaiting_permission: (choices) => story(choices).starts().agent.isHeld(),
  awaiting_resolution: (choices) =>
    story({ ...choices, attempts: { max: 1 } })
      .starts()
      .agent.finishes()
      .verifiers.fail('test'),
  paused: (choices) => story(choices).starts().works().deletesBranch(bob),
  approved: (choices) => story(choices).starts().works().says(bob, '/approve'),
  done: (choices) => story(choices).starts().works().says(bob, '/approve').confirms().merges(bob),
  rejected: (choices) => story(choices).starts().works().says(bob, '/reject no'),
  cancelled: (choices) => story(choices).starts().works().says(bob, '/cancel'),
  abandoned: (choices) => story(choices).starts().says(bob, '/interrupt').says(bob, '/abandon'),
  timed_out: (choices) => story(choices).starts().works().waits(24),
  failed: (choices) => story(choices).starts().engine.takes().engine.breaks(),
};

// Object.keys loses that these are exactly the phases.
export const allPhases = Object.keys(runIn) as readonly Phase[];
export const ends: readonly Phase[] = ['done', 'rejected', 'cancelled', 'abandoned'];
export const living = allPhases.filter((phase) => !ends.includes(phase));

/** Requested by ada, who does not appear in the stories themselves. */
export function withSteerQueued(): Story {
  return runIn.working().says(ada, '/steer more', { comment: 1 });
}
