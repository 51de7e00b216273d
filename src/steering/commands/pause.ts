import type { CommandSpec } from './spec.ts';

export interface PauseCommand {
  readonly type: 'pause';
  /** Empty if no reason was given. */
  readonly reason: string;
}

/** Holds a run where it stands. */
export const pause: CommandSpec<PauseCommand> = {
  name: 'pause',
  usage: '/pause [why]',
  summary:
    'Hold the run: the agent or the verifiers are stopped at once, nothing is pushed or merged, and no deadline runs. ' +
    '`/resume` goes on from there; steers wait until then.',
  needs: 'write',
  parse: ({ body }) => ({ type: 'pause', reason: body }),
};
