import type { IncomingMessage } from 'node:http';
import { refusalHeader } from '../forwarder/agreed.ts';

/** Headers about one connection, not about the message (RFC 9110, 7.6.1). */
const hopByHop: readonly string[] = [
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection'],
  ...['te', 'trailer', 'upgrade'],
];

/** Our server answers `expect` itself, and the other one is for the forwarder alone. */
const notPassed: readonly string[] = ['expect', refusalHeader];

type Headers = Record<string, string | string[]>;

/**
 * The headers to pass on, without those about the connection and those that `Connection` names. How the body
 * of a request is framed stays, and is of one kind: Node refuses messages with two. A reply is framed by
 * Node, as its reader can take it.
 */
export function endToEnd({ headersDistinct, statusCode }: IncomingMessage): Headers {
  const named = (headersDistinct['connection'] ?? []).flatMap((each) => each.toLowerCase().split(/\s*,\s*/));
  const dropped = new Set([...hopByHop, ...notPassed, ...named.filter((each) => !framing.includes(each))]);
  // Only a reply has one.
  if (typeof statusCode === 'number') dropped.add('transfer-encoding');
  const kept = Object.entries(headersDistinct).filter(([name]) => !dropped.has(name));
  return Object.fromEntries(
    kept.map(([name, values = []]) => {
      if (name === 'transfer-encoding') return [name, 'chunked'];
      const [only = ''] = values;
      return [name, values.length === 1 ? only : values];
    }),
  );
}

const framing: readonly string[] = ['content-length', 'transfer-encoding', 'host'];

/** A text to look for, and what stands there instead. */
export type Replacement = readonly [find: string, put: string];

/**
 * Replaces texts in a stream of bytes, also where they arrive in pieces: what could become one at the end of
 * a piece waits for the next. What is put must contain none of the others.
 */
export function replacing(replacements: readonly Replacement[]) {
  let held = '';
  return {
    /** What can be sent on now. */
    write(chunk: Buffer): Buffer {
      // As bytes: a character of several may be in two pieces.
      const text = held + chunk.toString('latin1');
      const all = replacements.reduce((rest, [find, put]) => rest.replaceAll(find, () => put), text);
      const kept = Math.max(0, ...replacements.map(([find]) => beginningAtEnd(all, find)));
      held = all.slice(all.length - kept);
      return Buffer.from(all.slice(0, all.length - kept), 'latin1');
    },
    /** What was held back. */
    end: (): Buffer => Buffer.from(held, 'latin1'),
  };
}

/** How much at the end is the beginning of what is looked for. */
function beginningAtEnd(text: string, find: string): number {
  for (let length = Math.min(find.length - 1, text.length); length > 0; length--)
    if (text.endsWith(find.slice(0, length))) return length;
  return 0;
}
