import { alone, command } from './spec.ts';

/** Continues a run that is paused or timed out, or begins one that is blocked. */
export const resume = command<{ readonly type: 'resume' }>()({
  ...alone('resume'),
  summary:
    'Continue a run that is paused or timed out where it left off. With maintain access, start a blocked run anyway, ' +
    'or start over a run whose ledger was lost.',
  needs: 'write',
  button: { label: 'Resume' },
});
