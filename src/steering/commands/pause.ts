import { command, type Reasoned, withReason } from './spec.ts';

/** Holds a run where it stands. */
export const pause = command<Reasoned<'pause'>>()({
  ...withReason('pause'),
  summary:
    'Hold the run: the agent or the verifiers are stopped at once, nothing is pushed or merged, and no deadline passes. ' +
    '`/resume` continues from there; steers wait until then.',
  needs: 'write',
  startsNoWork: true,
  pointless: ({ why }) => why === 'already_paused',
  refusals: {
    /** `by`: who paused it, if a person did. */
    already_paused: ({ by }: { by: string | null }, { code, plain }) =>
      `The run is already paused${by === null ? '' : ` by ${plain(by, 60)}`}. ${code('/resume')} lets it continue.`,
  },
});
