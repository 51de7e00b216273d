import type { WordedSpec } from './spec.ts';

export interface RejectCommand {
  readonly type: 'reject';
  /** Empty only for a click, which is answered with the question why. */
  readonly reason: string;
}

interface Replied {
  /** Why the work is to be rejected, of whoever has clicked on the button. */
  readonly ask_reason: unknown;
}

/** Ends the run with a recorded reason. */
export const reject: WordedSpec<RejectCommand, unknown, Replied> = {
  usage: '/reject <reason>',
  summary: 'Reject the work with a reason and close the pull request; the branch is kept.',
  needs: 'write',
  startsNoWork: true,
  button: { label: 'Reject and close', after: 'reason' },
  example: 'no',
  parse: ({ body }) => (body === '' ? { problem: 'a reason is required' } : { type: 'reject', reason: body }),
  print: ({ reason }) => reason,
  replies: {
    ask_reason: (_, { code }, { run: { issue } }) => {
      const use = issue === null ? '' : `, and the next run on #${issue} is told your reason`;
      return `Why? Nothing has changed yet: comment ${code('/reject <reason>')} to close this${use}.`;
    },
  },
};
