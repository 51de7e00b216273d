/** A title that is the command, perhaps quoted as code. */
export function titleAsCommand(title: string): string {
  return /^`([^`]+)`$/.exec(title.trim())?.[1] ?? title;
}
