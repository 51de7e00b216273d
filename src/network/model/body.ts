import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
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
  const objection = objectionTo(request, limits.maxBytes);
  if (objection !== undefined) return objection;
  const raw = await readBytes(request, limits);
  if ('status' in raw) return raw;
  const plain = await decoded(raw, request, limits.maxBytes);
  return 'status' in plain ? plain : parsed(plain);
}

function readBytes(request: IncomingMessage, { maxBytes, bodyMs }: BodyLimits): Promise<Buffer | Refusal> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const settle = (answer: Buffer | Refusal) => {
      clearTimeout(timer);
      chunks.length = 0;
      resolve(answer);
    };
    const timer = setTimeout(() => settle(tooSlow), bodyMs);
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) return settle(tooLarge(maxBytes));
      chunks.push(chunk);
    });
    request.on('end', () => settle(Buffer.concat(chunks)));
    request.on('close', () => {
      clearTimeout(timer);
      if (!request.complete) reject(new Error('the client went away'));
    });
    request.on('error', reject);
  });
}

const tooSlow: Refusal = { status: 400, reason: 'the body of the request did not arrive in time' };

function tooLarge(maxBytes: number): Refusal {
  return { status: 413, reason: `a request may have at most ${maxBytes.toLocaleString('en-US')} bytes` };
}

function objectionTo({ headers }: IncomingMessage, maxBytes: number): Refusal | undefined {
  if (Number(headers['content-length'] ?? 0) > maxBytes) return tooLarge(maxBytes);
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
    const isTooLarge = fault instanceof RangeError;
    return isTooLarge ? tooLarge(maxBytes) : { status: 400, reason: 'the body is not compressed with gzip' };
  }
}

/** No tool's schema and no conversation is nested as deeply. */
const maxDepth = 200;

function parsed(bytes: Buffer): Body {
  if (depthOf(bytes) > maxDepth) {
    return { status: 400, reason: `the body is nested more than ${maxDepth} levels deep` };
  }
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return isObject(value) ? { value } : { status: 400, reason: 'the body is not a JSON object' };
  } catch (fault) {
    if (fault instanceof SyntaxError || fault instanceof TypeError) {
      return { status: 400, reason: 'the body is not JSON in UTF-8' };
    }
    throw fault;
  }
}

const [quote, backslash, brace, bracket, braceEnd, bracketEnd] = [...Buffer.from('"\\{[}]')];

/** The deepest nesting, before anything is built from it. */
function depthOf(bytes: Buffer): number {
  let [depth, deepest, isText] = [0, 0, false];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (isText) {
      if (byte === backslash) at++;
      else if (byte === quote) isText = false;
    } else if (byte === quote) isText = true;
    else if (byte === brace || byte === bracket) deepest = Math.max(deepest, ++depth);
    else if (byte === braceEnd || byte === bracketEnd) depth--;
  }
  return deepest;
}
