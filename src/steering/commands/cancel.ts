import { type CommandSpec, nothingElse } from './spec.ts';

export interface CancelCommand {
  readonly type: 'cancel';
}

/** Ends a run without a verdict on its work. */
export const cancel: CommandSpec<CancelCommand> = {
  name: 'cancel',
  usage: '/cancel',
  summary: 'Stop the run and close the pull request; the branch is kept.',
  needs: 'write',
  parse: (given) => nothingElse(given, { type: 'cancel' }),
};
