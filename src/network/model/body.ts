import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { readBytes, TooLarge, TooSlow } from '../../http/body.ts';
import { isObject, type JsonObject } from './json.ts';
import { Refused } from './refusal.ts';

interface BodyLimits {
  readonly maxBytes: number;
  /** For a whole body to arrive, in milliseconds. */
  readonly bodyMs: number;
}

/** How many bytes a request may need in memory; all that is possible if it does not say. */
export function sizeOf({ headers }: IncomingMessage, { maxBytes }: BodyLimits): number {
  const declared = headers['content-encoding'] === undefined ? headers['content-length'] : undefined;
  return declared === undefined ? maxBytes : Math.min(Number(declared), maxBytes);
}

/** What a request says. Rejects with `Refused` if it cannot be read, and if the client goes away. */
export async function readBody(request: IncomingMessage, limits: BodyLimits): Promise<JsonObject> {
  const { 'content-type': type = 'nothing', 'content-encoding': encoding = 'identity' } = request.headers;
  if (!/^application\/json *(?:; *charset="?utf-8"? *)?$/i.test(type))
    throw new Refused(415, `the body must be application/json in UTF-8, not ${type.slice(0, 80)}`);
  if (!/^(?:identity|gzip)$/i.test(encoding))
    throw new Refused(
      415,
      `a body may be compressed only with gzip, not with ${encoding.slice(0, 80)}: switch the compression of requests off`,
    );
  const { maxBytes, bodyMs } = limits;
  const raw = await readBytes(request, { maxBytes, withinMs: bodyMs }).catch((fault: unknown) => {
    if (fault instanceof TooLarge) throw new Refused(413, fault.message);
    throw fault instanceof TooSlow ? new Refused(400, fault.message) : fault;
  });
  if (encoding.toLowerCase() !== 'gzip') return parsed(raw);
  const plain = await promisify(gunzip)(raw, { maxOutputLength: maxBytes }).catch((fault: unknown) => {
    throw fault instanceof RangeError
      ? new Refused(413, `the body has more than ${maxBytes} bytes when it is decompressed`)
      : new Refused(400, 'the body is not compressed with gzip');
  });
  return parsed(plain);
}

/** No tool's schema and no conversation is nested as deeply. */
const maxDepth = 200;

function parsed(bytes: Buffer): JsonObject {
  const value = jsonIn(bytes);
  if (!isWithin(value, maxDepth))
    throw new Refused(400, `the body is nested more than ${maxDepth} levels deep`);
  if (!isObject(value)) throw new Refused(400, 'the body is not a JSON object');
  return value;
}

function jsonIn(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (fault) {
    const isTheirs = fault instanceof SyntaxError || fault instanceof TypeError;
    throw isTheirs ? new Refused(400, 'the body is not JSON in UTF-8') : fault;
  }
}

function isWithin(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((each) => isWithin(each, depth - 1));
}
