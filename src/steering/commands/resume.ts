import { alone, command } from './spec.ts';

/** Continues a run that is paused or timed out, or begins one that is blocked. */
export const resume = command<{ readonly type: 'resume' }>()({
  ...alone('resume'),
  summary:
    'Continue a run that is paused or timed out, where it stood. With maintain, begin one that is blocked all the same, ' +
    'or one anew whose ledger was lost.',
  needs: 'write',
  button: { label: 'Resume' },
});
