import { branchIsKept } from '../phrases/phrases.ts';
import { alone, command } from './spec.ts';

/** Ends a run without a verdict on its work. */
export const cancel = command<{ readonly type: 'cancel' }>()({
  ...alone('cancel'),
  summary: `Stop the run ${branchIsKept}`,
  needs: 'write',
  startsNoWork: true,
  button: { label: 'Cancel the run', after: 'confirmation' },
});
