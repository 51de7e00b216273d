import { command, type Reasoned, withReason } from './spec.ts';

/** Gives the task up. */
export const abandon = command<Reasoned<'abandon'>>()({
  ...withReason('abandon'),
  summary:
    'Give up the failed task and close the pull request. Runs that depend on it are told; the branch is kept.',
  needs: 'write',
  startsNoWork: true,
  form: {
    title: 'Abandon Task',
    note: 'The pull request is closed, and runs that depend on it are told. The branch is kept.',
    of: 'reason',
  },
  takesRest: true,
});
