import { branchIsKept } from '../phrases/phrases.ts';
import { command } from './spec.ts';

interface RejectCommand {
  readonly type: 'reject';
  /** Empty only for a click, which is answered with the question why. */
  readonly reason: string;
}

/** Ends the run with a recorded reason. */
export const reject = command<RejectCommand>()({
  usage: '/reject <reason>',
  summary: `Reject the work with a reason ${branchIsKept}`,
  needs: 'write',
  startsNoWork: true,
  button: { label: 'Reject and close', after: 'reason' },
  example: 'no',
  parse: ({ body }) => (body === '' ? { problem: 'a reason is required' } : { type: 'reject', reason: body }),
  print: ({ reason }) => reason,
  replies: {
    /** Why the work is to be rejected, of whoever has clicked on the button. */
    ask_reason: (_: unknown, { code }, { run: { issue } }) => {
      const use = issue === null ? '' : `, and the next run on #${issue} is told your reason`;
      return `Why? Nothing has changed yet: comment ${code('/reject <reason>')} to close this${use}.`;
    },
  },
});
