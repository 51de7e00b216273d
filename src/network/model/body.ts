import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { readBytes, TooLarge, TooSlow } from '../../http/body.ts';
import { isObject, type JsonObject } from './json.ts';
import type { Refusal } from './refusal.ts';

/** What a request says, or why it cannot be read. */
export type Body = { readonly value: JsonObject } | Refusal;

/** Times in milliseconds. */
export interface BodyLimits {
  readonly maxBytes: number;
  /** For a whole body to arrive. */
  readonly bodyMs: number;
}

/** How many bytes a request may need in memory; all that is possible if it does not say. */
export function sizeOf({ headers }: IncomingMessage, { maxBytes }: BodyLimits): number {
  const declared = headers['content-encoding'] === undefined ? headers['content-length'] : undefined;
  return declared === undefined ? maxBytes : Math.min(Number(declared), maxBytes);
}

/** Rejects if the client goes away. */
export async function readBody(request: IncomingMessage, limits: BodyLimits): Promise<Body> {
  const objection = objectionTo(request);
  if (objection !== undefined) return objection;
  const raw = await bytesOf(request, limits);
  if ('status' in raw) return raw;
  const plain = await decoded(raw, request, limits.maxBytes);
  return 'status' in plain ? plain : parsed(plain);
}

async function bytesOf(
  request: IncomingMessage,
  { maxBytes, bodyMs }: BodyLimits,
): Promise<Buffer | Refusal> {
  try {
    return await readBytes(request, { maxBytes, withinMs: bodyMs });
  } catch (fault) {
    if (fault instanceof TooLarge) return { status: 413, reason: fault.message };
    if (fault instanceof TooSlow) return { status: 400, reason: fault.message };
    throw fault;
  }
}

function objectionTo({ headers }: IncomingMessage): Refusal | undefined {
  const type = headers['content-type'] ?? 'nothing';
  if (!/^application\/json *(?:; *charset="?utf-8"? *)?$/i.test(type)) {
    return { status: 415, reason: `the body must be application/json in UTF-8, not ${type.slice(0, 80)}` };
  }
  const encoding = headers['content-encoding'] ?? 'identity';
  if (/^(?:identity|gzip)$/i.test(encoding)) return undefined;
  return {
    status: 415,
    reason: `a body may be compressed only with gzip, not with ${encoding.slice(0, 80)}: switch the compression of requests off`,
  };
}

const inflate = promisify(gunzip);

async function decoded(
  raw: Buffer,
  { headers }: IncomingMessage,
  maxBytes: number,
): Promise<Buffer | Refusal> {
  if (headers['content-encoding']?.toLowerCase() !== 'gzip') return raw;
  try {
    return await inflate(raw, { maxOutputLength: maxBytes });
  } catch (fault) {
    if (!(fault instanceof RangeError))
      return { status: 400, reason: 'the body is not compressed with gzip' };
    return { status: 413, reason: `the body has more than ${maxBytes} bytes when it is decompressed` };
  }
}

/** No tool's schema and no conversation is nested as deeply. */
const maxDepth = 200;

function parsed(bytes: Buffer): Body {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (!isWithin(value, maxDepth))
      return { status: 400, reason: `the body is nested more than ${maxDepth} levels deep` };
    return isObject(value) ? { value } : { status: 400, reason: 'the body is not a JSON object' };
  } catch (fault) {
    if (fault instanceof SyntaxError || fault instanceof TypeError) {
      return { status: 400, reason: 'the body is not JSON in UTF-8' };
    }
    throw fault;
  }
}

function isWithin(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((each) => isWithin(each, depth - 1));
}
