import type { ApprovalWay } from '../settings.ts';

/** All ways in which people can approve. */
export const approvalWays: readonly ApprovalWay[] = ['button', 'review', 'comment'];

/** Whether somebody can say with an approval which failed verifiers it is despite of: a click says nothing. */
export function canOverride(how: readonly ApprovalWay[] = approvalWays): boolean {
  return how.some((way) => way !== 'button');
}
