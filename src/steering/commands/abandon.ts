import type { CommandSpec } from './spec.ts';

export interface AbandonCommand {
  readonly type: 'abandon';
  /** May be empty. */
  readonly reason: string;
}

/** Gives the task up. */
export const abandon: CommandSpec<AbandonCommand> = {
  name: 'abandon',
  usage: '/abandon [why]',
  summary:
    'Give the failed task up and close the pull request. What depends on it is told; the branch is kept.',
  needs: 'write',
  takesRest: true,
  parse: ({ body }) => ({ type: 'abandon', reason: body }),
};
