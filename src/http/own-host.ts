import type { IncomingMessage } from 'node:http';

/** The request names our host: another name that resolves to our address is DNS rebinding. */
export function isOurHost({ headers }: Pick<IncomingMessage, 'headers'>, origin: string): boolean {
  return headers.host === new URL(origin).host;
}
