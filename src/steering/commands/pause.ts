import { type CommandSpec, type Reasoned, withReason } from './spec.ts';

/** Holds a run where it stands. */
export const pause: CommandSpec<Reasoned<'pause'>> = {
  ...withReason('pause'),
  summary:
    'Hold the run: the agent or the verifiers are stopped at once, nothing is pushed or merged, and no deadline runs. ' +
    '`/resume` goes on from there; steers wait until then.',
  needs: 'write',
};
