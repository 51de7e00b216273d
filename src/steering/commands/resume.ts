import { alone, command } from './spec.ts';

/** Continues a run that is paused or timed out, or begins one that is blocked. */
export const resume = command<{ readonly type: 'resume' }>()({
  ...alone('resume'),
  summary:
    'Continue a run that is paused or timed out where it left off, or start one that waits for its turn. ' +
    'With maintain access, start one anyway that waits for a merge, or start over a run whose ledger was lost.',
  needs: 'write',
  button: { label: 'Resume' },
});
