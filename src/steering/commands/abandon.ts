import { type CommandSpec, type Reasoned, withReason } from './spec.ts';

/** Gives the task up. */
export const abandon: CommandSpec<Reasoned<'abandon'>> = {
  ...withReason('abandon'),
  summary:
    'Give the failed task up and close the pull request. What depends on it is told; the branch is kept.',
  needs: 'write',
  startsNoWork: true,
  takesRest: true,
};
