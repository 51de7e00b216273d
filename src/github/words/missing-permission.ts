/** What a pull request says that we may not draw: `message` names the permission, and where it is granted. */
export function missingPermissionText(message: string): string {
  return (
    `This run cannot be shown as it stands: ${message}.\n\n` +
    'It continues meanwhile, and is shown again when it next changes or when the App is restarted.'
  );
}
