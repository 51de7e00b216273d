import type { ApprovalWay } from './settings.ts';

/** All ways in which people can approve. */
export const approvalWays: readonly ApprovalWay[] = ['button', 'review', 'comment'];

/** Whether nothing but clicks approves: they name no verifier to override, and only an App hears of them. */
export function takesClick(how: readonly ApprovalWay[] = approvalWays): boolean {
  return how.every((way) => way === 'button');
}
