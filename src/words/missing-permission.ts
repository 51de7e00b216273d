import type { State } from '../steering/state/state.ts';

/** Posted on a pull request we may not update: `message` names the permission and where to grant it. */
export function missingPermissionText(message: string, presenter: State['run']['presenter']): string {
  const soon = presenter === 'app' ? 'a few minutes after' : 'at the next run of the workflow after';
  return (
    `Coxswain cannot update this pull request: ${message}.\n\n` +
    `The run continues, and the pull request is updated ${soon} the permission is granted.`
  );
}
