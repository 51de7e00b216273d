import { type Reasoned, type WordedSpec, withReason } from './spec.ts';

interface Refused {
  /** `by`: who paused it, if a person did. */
  readonly already_paused: { readonly by: string | null };
}

/** Holds a run where it stands. */
export const pause: WordedSpec<Reasoned<'pause'>, Refused> = {
  ...withReason('pause'),
  summary:
    'Hold the run: the agent or the verifiers are stopped at once, nothing is pushed or merged, and no deadline runs. ' +
    '`/resume` goes on from there; steers wait until then.',
  needs: 'write',
  startsNoWork: true,
  pointless: ({ why }) => why === 'already_paused',
  refusals: {
    already_paused: ({ by }, { code, plain }) =>
      `The run is already paused${by === null ? '' : ` by ${plain(by, 60)}`}. ${code('/resume')} lets it go on.`,
  },
};
