import { approvedBy, groundOf } from '../../steering/approval/auto-approval.ts';
import { isInQueue } from '../../steering/approval/in-merge-queue.ts';
import type { In, State } from '../../steering/state/state.ts';
import { ruleText } from '../parts/approval-texts.ts';
import { commit } from '../parts/common-phrases.ts';
import { dueText } from '../parts/merge-texts.ts';
import { abandonedTitle, linksText } from '../parts/resolution-texts.ts';
import { code, plain, quoted, said } from '../parts/sanitize.ts';
import type { PhaseWords } from './row.ts';

/** What people read of a run that is approved or has ended. */

export const approved: PhaseWords<'approved'> = {
  title: (state) =>
    state.standing.finish === 'checking'
      ? `Approved by ${approvedBy(state)}; running the final check`
      : `Approved by ${approvedBy(state)}${isInQueue(state) ? '; in the merge queue' : dueText(state) && '; not merged yet'}`,
  summary: (state) =>
    state.standing.finish === 'checking'
      ? ['Coxswain checks the approval against GitHub once more before it takes effect.']
      : [dueText(state), ...approvers(state)],
  status: (state) => [
    `Approved by: ${approvedBy(state)}`,
    `Final check: ${state.standing.finish === 'checking' ? 'in progress' : 'passed'}`,
  ],
  missing: (state) => [mergeLeft(state)],
  result: ({ standing }) => (standing.finish === 'finished' ? 'success' : 'in_progress'),
  tone: 'success',
};

function mergeLeft({ settings, owed, standing }: In<'approved'>): string {
  if (standing.finish === 'checking')
    return 'the final check, which compares the approval with GitHub once more';
  if (standing.queue?.is === 'in')
    return 'the merge queue, in which GitHub merges it once its group has passed';
  if (standing.queue?.is === 'out')
    return 'somebody who may merge, to add it to the merge queue again or merge it';
  if (settings.approval.finish === 'ready') return 'a merge on GitHub, by anyone who may merge';
  const isDue = owed.some((effect) => effect.do === 'merge');
  return isDue
    ? 'the merge, which Coxswain asks GitHub for'
    : 'the merge, which GitHub does once its rules allow it';
}

export const done: PhaseWords<'done'> = {
  title: ({ standing }) => (standing.merged ? 'Merged' : 'Closed'),
  // Also where somebody approved, but the check did not permit merging at that moment.
  summary: (state) =>
    state.standing.merged && approvedBy(state) === ''
      ? ['No approval was in force when it was merged.']
      : approvers(state),
  status: ({ standing }) => [`Merged: ${standing.merged ? 'yes' : 'no'}`],
  missing: () => [],
  result: (state) => (state.standing.merged && approvedBy(state) !== '' ? 'success' : 'cancelled'),
  tone: 'success',
};

export const rejected: PhaseWords<'rejected'> = {
  title: ({ standing }) => `Rejected by ${standing.by}`,
  summary: ({ standing }) => [quoted(standing.reason)],
  status: ({ standing }) => [`Rejected by: ${standing.by}`, `Reason: ${standing.reason}`],
  missing: () => [],
  result: () => 'failure',
  tone: 'neutral',
};

export const cancelled: PhaseWords<'cancelled'> = {
  title: ({ standing: { by } }) => `Cancelled${by === null ? '' : ` by ${by}`}`,
  summary: ({ standing }) => [quoted(standing.reason)],
  status: ({ standing: { by, reason } }) => [by !== null && `Cancelled by: ${by}`, `Reason: ${reason}`],
  missing: () => [],
  result: () => 'cancelled',
  tone: 'neutral',
};

export const abandoned: PhaseWords<'abandoned'> = {
  title: ({ standing }) => abandonedTitle(standing),
  summary: ({ standing }) => [linksText(standing), standing.reason !== '' && quoted(standing.reason)],
  status: ({ standing: { by, reason } }) => [`Abandoned by: ${by}`, reason !== '' && `Reason: ${reason}`],
  missing: () => [],
  result: () => 'cancelled',
  tone: 'neutral',
};

function approvers(state: State): readonly string[] {
  const ground = groundOf(state);
  const byPeople = state.approvals.map(({ by, head_sha, at, despite }) => {
    const exception = despite.length === 0 ? '' : `, despite ${despite.map((name) => code(name)).join(', ')}`;
    return `- ${plain(by.login)} (${by.role}) approved ${commit(head_sha)} at ${at}${exception}`;
  });
  const lines = said([...byPeople, ground && `- approved by policy: ${ruleText(state, ground)}`]);
  return [lines.join('\n') || 'Nobody approved it.'];
}
