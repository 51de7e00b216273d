import { branchIsKept, closedAndTold } from '../phrases/phrases.ts';
import { command, type Reasoned, withReason } from './spec.ts';

/** Gives the task up. */
export const abandon = command<Reasoned<'abandon'>>()({
  ...withReason('abandon'),
  summary: `Give up the failed task ${branchIsKept} Runs that depend on it are told.`,
  needs: 'write',
  startsNoWork: true,
  form: {
    title: 'Abandon Task',
    note: `The ${closedAndTold} The branch is kept.`,
    of: 'reason',
  },
  takesRest: true,
});
