import { command, type Reasoned, withReason } from './spec.ts';

/** Gives the task up. */
export const abandon = command<Reasoned<'abandon'>>()({
  ...withReason('abandon'),
  summary:
    'Give the failed task up and close the pull request. What depends on it is told; the branch is kept.',
  needs: 'write',
  startsNoWork: true,
  form: {
    title: 'Abandon Task',
    note: 'The pull request is closed, and what depends on it is told. The branch is kept.',
    of: 'reason',
  },
  takesRest: true,
});
