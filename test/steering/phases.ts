import type { Phase } from '../../src/steering/standing.ts';
import { ada, bob } from './samples.ts';
import { type Story, story } from './story.ts';

/** A run in each phase, with as few events as possible. */
export const runIn: { readonly [P in Phase]: () => Story } = {
  queued: () => story().starts(),
  working: () => story().starts().engine.takes(),
  verifying: () => story().starts().agent.finishes(),
  awaiting_approval: () => story().starts().works(),
  awaiting_permission: () => story().starts().agent.isHeld(),
  awaiting_resolution: () =>
    story({ attempts: { max: 1 } })
      .starts()
      .agent.finishes()
      .verifiers.fail('test'),
  paused: () => story().starts().works().deletesBranch(bob),
  approved: () => story().starts().works().says(bob, '/approve'),
  done: () => story().starts().works().says(bob, '/approve').confirms().merges(bob),
  rejected: () => story().starts().works().says(bob, '/reject no'),
  cancelled: () => story().starts().works().says(bob, '/cancel'),
  timed_out: () => story().starts().works().waits(24),
  failed: () => story().starts().engine.takes().engine.breaks(),
};

// Object.keys loses that these are exactly the phases.
export const allPhases = Object.keys(runIn) as readonly Phase[];
export const ends: readonly Phase[] = ['done', 'rejected', 'cancelled'];
export const living = allPhases.filter((phase) => !ends.includes(phase));

/** Requested by ada, who does not appear in the stories themselves. */
export function withSteerQueued(): Story {
  return runIn.working().says(ada, '/steer more', { comment: 1 });
}
