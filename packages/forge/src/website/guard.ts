import type { IncomingHttpHeaders } from 'node:http';
import { HttpError } from '../responses.ts';

/** Throws what a browser is told if a request did not come from somebody who may use the pages. */
export function requireVisitor(
  { method, headers }: { method: string; headers: IncomingHttpHeaders },
  { url, admits }: { url: string; admits(headers: IncomingHttpHeaders): boolean },
): void {
  // Another name that resolves to this address is DNS rebinding.
  if (headers.host !== new URL(url).host) {
    throw new HttpError(421, `This forge is at ${url}; it does not serve other names.`);
  }
  if (!admits(headers)) {
    throw new HttpError(401, 'Open the address that the demo printed: it signs you in.');
  }
  if (method === 'GET' || method === 'HEAD') return;
  if (method !== 'POST') throw new HttpError(405, 'Pages only take GET and POST.');
  // A form of another site would be sent with the cookie of this one.
  if (headers.origin !== new URL(url).origin) {
    throw new HttpError(403, 'This form was not sent by a page of the forge.');
  }
}

/** The fields of a posted form, with line ends as in files. */
export function formIn({ headers, body }: { headers: IncomingHttpHeaders; body: Buffer }): URLSearchParams {
  const type = headers['content-type']?.split(';', 1)[0];
  if (type !== 'application/x-www-form-urlencoded') {
    throw new HttpError(415, `Expected a form, but received ${type ?? 'no content type'}.`);
  }
  const fields = new URLSearchParams(body.toString('utf8'));
  for (const [name, value] of [...fields]) fields.set(name, value.replace(/\r\n?/g, '\n'));
  return fields;
}
