import type { CommandSpec } from './spec.ts';

export interface RejectCommand {
  readonly type: 'reject';
  /** Empty only for a click, which is answered with the question why. */
  readonly reason: string;
}

/** Ends the run with a recorded reason. */
export const reject: CommandSpec<RejectCommand> = {
  name: 'reject',
  usage: '/reject <reason>',
  summary: 'Reject the work with a reason and close the pull request; the branch is kept.',
  needs: 'write',
  example: 'no',
  parse: ({ body }) => (body === '' ? { problem: 'a reason is required' } : { type: 'reject', reason: body }),
  print: ({ reason }) => reason,
};
