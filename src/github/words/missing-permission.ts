/** Posted on a pull request we may not update: `message` names the permission and where to grant it. */
export function missingPermissionText(message: string): string {
  return (
    `Coxswain cannot update this pull request: ${message}.\n\n` +
    'The run continues, and the pull request is updated when the run next changes or the App restarts.'
  );
}
