import { EventEmitter, once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { isSameSecret, readBytes, TooLarge, TooSlow } from '../../http/incoming-request.ts';
import { type Budget, exhaustedText, noTokens, type Usage } from '../spending/model-budget.ts';
import { filter, type Passed } from './filter.ts';
import { isObject, type JsonObject } from './json.ts';
import { queryOf, type Route, routeOf, type Target, targetOf } from './provider-routes.ts';
import { keysOf, type Provider } from './providers.ts';
import { limitedUntil, type Refusal, Refused, refuse } from './refusal.ts';
import { relay, requestHeaders, responseHeaders, send, withoutKeys } from './upstream.ts';
import { meter } from './usage.ts';

export interface ModelEndpointOptions {
  /** Whom requests are sent to, with the keys; `providersIn` makes them. */
  readonly providers: readonly Provider[];
  /** What every request must carry; random, for one attempt. */
  readonly dummyKey: string;
  readonly budget: Budget;
  /** Whether providers may use the network for the agent: only where its own network is open. */
  readonly providerTools: boolean;
  /** Called with each answer to a request for inference: with what is wrong, or null if nothing is. */
  onAnswer?(fault: ProviderFault | null): void;
  readonly limits?: Partial<ModelLimits>;
}

/** An answer that is an error. */
export interface ProviderFault {
  readonly host: string;
  /** The variable that holds the key, if there is one. */
  readonly key: string | undefined;
  readonly status: number;
  /** How the provider's own words begin, without keys. */
  readonly words: string;
  /** When it answers again, in milliseconds since 1970, if it says so. */
  readonly until: number | undefined;
}

/**
 * Sends requests for inference to the models' providers, with the real keys, and counts what they use. The
 * first segment of a path is the provider's host: `/api.anthropic.com/v1/messages`.
 */
export function modelEndpoint(options: ModelEndpointOptions): RequestListener {
  const limits = { ...modelLimits, ...options.limits };
  const shared = { ...options, limits, memory: slots(limits.maxBytesTogether) };
  const places = slots(limits.atOnce);
  return (request, response) => {
    const gone = new AbortController();
    response.on('close', () => gone.abort(new Error('the client went away')));
    const exchange = { ...shared, request, response, gone: gone.signal };
    answer(exchange, places).catch((fault: unknown) => {
      // A client that is gone needs no answer. Whatever else this is, its text may be about a key.
      if (gone.signal.aborted) response.destroy();
      else refuse(response, dialectOf(exchange), fault instanceof Refused ? fault.refusal : notHandled);
    });
  };
}

const notHandled: Refusal = { status: 503, reason: 'the request could not be handled', retryAfterS: 5 };

/** One request, and what it needs. */
interface Exchange extends ModelEndpointOptions {
  readonly limits: ModelLimits;
  /** The bytes of bodies that may be in memory. */
  readonly memory: Slots;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Aborted when the client is gone, or has its answer. */
  readonly gone: AbortSignal;
}

async function answer(exchange: Exchange, places: Slots): Promise<void> {
  const call = callIn(exchange);
  const { route } = call;
  await places(1, exchange.gone, async () => {
    if (route.kind === 'models') await answered(exchange, call, undefined);
    else await infer(exchange, { ...call, route });
  });
}

type Call = ReturnType<typeof callIn>;

type InferenceCall = Call & { readonly route: Exclude<Route, { readonly kind: 'models' }> };

/** A request that may be sent on. */
function callIn({ request, providers, dummyKey }: Exchange) {
  const { headers, method = '' } = request;
  const target = targetOf(request.url);
  if (target === undefined)
    throw new Refused(
      404,
      'there is nothing at this address: expected the host of a provider and a path of its API',
    );
  if (!carriesKey(headers, target, dummyKey))
    throw new Refused(401, 'the request does not carry the key that the agent was given in its environment');
  const { host, path } = target;
  const provider = providers.find((each) => each.host === host);
  if (provider === undefined) {
    const known = providers.map((each) => each.host).join(', ') || 'nothing';
    throw new Refused(404, `there is no key for ${host} here. The operator has set those for: ${known}`);
  }
  if (headers.upgrade !== undefined) throw new Refused(426, 'only plain HTTP is passed on: no WebSocket');
  const route = routeOf(provider, { method, path });
  if (route !== undefined) return { provider, route, url: `${provider.upstream}${path}${queryOf(target)}` };
  const asked = `${method} ${path}`.slice(0, 200);
  throw new Refused(404, `${asked} is not passed on to ${host}: only requests for inference are`);
}

/** Whether a request carries the dummy key, in any place where clients of the providers put theirs. */
function carriesKey(headers: IncomingHttpHeaders, { query }: Target, dummyKey: string): boolean {
  const { authorization = '', 'x-api-key': apiKey, 'x-goog-api-key': googleKey } = headers;
  const bearer = /^bearer +(?<token>\S+)$/i.exec(authorization)?.groups?.['token'];
  return [bearer, apiKey, googleKey, ...query.getAll('key')].some(
    (given) => typeof given === 'string' && isSameSecret(given, dummyKey),
  );
}

function dialectOf({ request, providers }: Exchange): Provider['dialect'] {
  const host = targetOf(request.url)?.host ?? '';
  const known = providers.find((each) => each.host === host)?.dialect;
  return known ?? (/anthropic/.test(host) ? 'anthropic' : 'openai');
}

/** Reads and checks a request, asks the budget, and sends it. */
async function infer(exchange: Exchange, call: InferenceCall): Promise<void> {
  const { request, memory, limits, gone, providerTools } = exchange;
  await memory(sizeOf(request, limits), gone, async () => {
    const passed = filter(await readBody(request, limits), { ...call, providerTools });
    if ('status' in passed) throw new Refused(passed.status, passed.reason);
    if (call.route.kind === 'count') await answered(exchange, call, passed);
    else await spend(exchange, call, passed);
  });
}

async function spend(exchange: Exchange, call: InferenceCall, passed: Passed): Promise<void> {
  const settle = await admitted(exchange, passed);
  // If nothing is heard of it, it counts by what it made the model read.
  const { likely } = passed;
  let usage: Usage | undefined = { ...likely, tokens: { ...noTokens, input: likely.tokens.input } };
  try {
    usage = await answered(exchange, call, passed);
  } catch (fault) {
    if (fault instanceof Refused && fault.refusal.mayHaveBegun === false) usage = undefined;
    throw fault;
  } finally {
    settle(usage);
  }
}

async function admitted({ budget, gone }: Exchange, { likely }: Passed) {
  const admission = await budget.admit(likely, gone).catch((fault: unknown) => {
    if (gone.aborted) throw fault;
    throw new Refused(503, 'what the request costs could not be recorded', { retryAfterS: 5 });
  });
  if (admission.admitted) return admission.settle;
  throw new Refused(400, exhaustedText(admission.exhausted));
}

/** Sends a request and passes the answer on. Returns what it used; undefined if that is not counted. */
async function answered(
  { request, response, providers, limits, gone, onAnswer }: Exchange,
  { provider, route, url }: Call,
  passed: Passed | undefined,
): Promise<Usage | undefined> {
  const body = passed?.body;
  const headers = requestHeaders(request.headers, provider, body);
  const isCounted = route.kind === 'inference' && passed !== undefined;
  const signal = isCounted ? later(gone, limits.readOnMs) : gone;
  const answer = await send({ ...limits, host: provider.host, url, headers, body }, signal);
  const { statusCode = 502 } = answer;
  const isEvents = /^text\/event-stream/i.test(answer.headers['content-type'] ?? '');
  const along =
    isCounted && statusCode < 300
      ? meter({ format: route.format, isEvents, likely: passed.likely })
      : undefined;
  const keys = keysOf(providers);
  if (!gone.aborted) {
    response.writeHead(
      statusCode,
      responseHeaders(answer, (text) => withoutKeys(text, keys)),
    );
    response.flushHeaders();
  }
  const beginning = firstWords();
  const reader = statusCode < 400 ? along : beginning;
  await relay(answer, response, { ...limits, keys, gone, meter: reader });
  if (isCounted)
    onAnswer?.(statusCode < 400 ? null : faultOf(provider, answer, withoutKeys(beginning.text(), keys)));
  return along?.usage();
}

function faultOf(
  { host, variables: { key } }: Provider,
  answer: IncomingMessage,
  body: string,
): ProviderFault {
  const { statusCode: status = 502, headers } = answer;
  const until = limitedUntil({ statusCode: status, headers, body }, Date.now());
  return { host, key, status, words: messageIn(body), until };
}

/** In so many bytes an error has its message, and then what Google says of its limits. */
const wordsKept = 16_000;

/** Reads along how an answer begins. */
function firstWords() {
  let bytes = Buffer.alloc(0);
  return {
    write(chunk: Uint8Array): void {
      if (bytes.length < wordsKept) bytes = Buffer.concat([bytes, chunk]).subarray(0, wordsKept);
    },
    end(): void {},
    text: () => bytes.toString(),
  };
}

/** `{"error": {"message": "…"}}`, as all of them write it, or the text itself. */
function messageIn(text: string): string {
  const message = /"message"\s*:\s*("(?:[^"\\]|\\.){1,1000}")/.exec(text)?.[1];
  return message === undefined ? text.trim() : String(JSON.parse(message));
}

/** Aborts so much later than another signal: until then, what an answer used is worth waiting for. */
function later(signal: AbortSignal, ms: number): AbortSignal {
  const controller = new AbortController();
  const start = () => setTimeout(() => controller.abort(signal.reason), ms).unref();
  signal.addEventListener('abort', start, { once: true });
  return controller.signal;
}

const mebibyte = 1024 * 1024;

/** What requests and answers may take. */
const modelLimits = {
  /** How many requests are with providers; more wait. */
  atOnce: 16,
  /** How long it may take to be connected with a provider. */
  connectMs: 30_000,
  /** How long the provider may send no byte, or the client not read. */
  idleMs: 10 * 60_000,
  /** How long the whole body of a request may take to arrive. */
  bodyMs: 60_000,
  /** How long an answer is read after its client went away, to learn what it used. */
  readOnMs: 30_000,
  /** How large a request's body may be: Anthropic accepts requests of 32 MB. */
  maxBytes: 32 * mebibyte,
  /** How large the bodies of all requests of an attempt may be that have no answer yet. */
  maxBytesTogether: 128 * mebibyte,
};

type ModelLimits = Readonly<typeof modelLimits>;

interface BodyLimits {
  readonly maxBytes: number;
  /** How long a whole body may take to arrive. */
  readonly bodyMs: number;
}

/** How many bytes a request may need in memory; all that is possible if it does not say. */
function sizeOf({ headers }: IncomingMessage, { maxBytes }: BodyLimits): number {
  const declared = headers['content-encoding'] === undefined ? headers['content-length'] : undefined;
  return declared === undefined ? maxBytes : Math.min(Number(declared), maxBytes);
}

/** What a request says. Rejects with `Refused` if it cannot be read, and if the client goes away. */
async function readBody(request: IncomingMessage, limits: BodyLimits): Promise<JsonObject> {
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

type Slots = ReturnType<typeof slots>;

/** Shares something that there is little of, in the order in which it was asked for. */
function slots(count: number) {
  let free = count;
  const waiting = new Set<EventEmitter<{ turn: [] }>>();
  const first = () => waiting.values().next().value;
  const turn = async (wanted: number, signal: AbortSignal): Promise<void> => {
    const place = new EventEmitter<{ turn: [] }>();
    waiting.add(place);
    try {
      signal.throwIfAborted();
      while (wanted > free || first() !== place) await once(place, 'turn', { signal });
      free -= wanted;
    } finally {
      waiting.delete(place);
      first()?.emit('turn');
    }
  };
  /** Acts with so much of it; more than there is counts as all. Rejects if the signal aborts before. */
  return async <T>(asked: number, signal: AbortSignal, act: () => Promise<T>): Promise<T> => {
    const wanted = Math.min(asked, count);
    await turn(wanted, signal);
    try {
      return await act();
    } finally {
      free += wanted;
      first()?.emit('turn');
    }
  };
}
