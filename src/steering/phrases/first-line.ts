export function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

/** `: the tests are slow`, in one short line at the end of a subject; empty where no reason is given. */
export function because(reason: string): string {
  return reason === '' ? '' : `: ${[...firstLine(reason)].slice(0, 100).join('')}`;
}
