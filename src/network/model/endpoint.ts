import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type Admission, type Budget, exhaustedText, noTokens, type Usage } from '../spending/budget.ts';
import { readBody, sizeOf } from './body.ts';
import { filter, type Passed } from './filter.ts';
import { carriesKey, requestHeaders, responseHeaders } from './headers.ts';
import { keysOf, type Provider } from './providers.ts';
import { type Refusal, refuse } from './refusal.ts';
import { redactor, relay, withoutKeys } from './relay.ts';
import { type Format, queryOf, type Route, routeOf, type Target, targetOf } from './routes.ts';
import { type Slots, slots } from './slots.ts';
import { send, Unreachable } from './upstream.ts';
import { type Meter, meter } from './usage.ts';

export interface ModelEndpointOptions {
  /** With the keys; see `providersIn`. */
  readonly providers: readonly Provider[];
  /** What every request must carry; random, for one attempt. */
  readonly dummyKey: string;
  readonly budget: Budget;
  /** Whether providers may use the network for the agent: only where its own network is open. */
  readonly providerTools: boolean;
  readonly limits?: Partial<ModelLimits>;
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
    answer({ ...shared, request, response, gone: gone.signal }, places).catch(() => {
      // A client that is gone needs no answer. Whatever else this is, its text may be about a key.
      if (gone.signal.aborted) response.destroy();
      else
        refuse(response, 'openai', {
          status: 503,
          reason: 'the request could not be handled',
          retryAfterS: 5,
        });
    });
  };
}

type Asked = Exchange & Pick<ModelEndpointOptions, 'dummyKey'>;

async function answer(exchange: Asked, places: Slots): Promise<void> {
  const call = callIn(exchange);
  if ('status' in call) return refuse(exchange.response, dialectOf(exchange), call);
  const release = await places.take(exchange.gone);
  try {
    const { route } = call;
    await (route.kind === 'models' ? list(exchange, call) : infer(exchange, { ...call, route }));
  } finally {
    release();
  }
}

function callIn({ request, providers, dummyKey }: Asked): Call | Refusal {
  const { url, headers, method = '' } = request;
  const target = targetOf(url);
  if (target === undefined) return unknownAddress;
  if (!carriesKey(headers, target, dummyKey)) return wrongKey;
  const provider = providers.find(({ host }) => host === target.host);
  if (provider === undefined) return withoutProvider(target, providers);
  if (headers.upgrade !== undefined) return noUpgrade;
  const route = routeOf(provider, { method, path: target.path });
  if (route === undefined) return notInference(method, target);
  const query = queryOf(target);
  if (typeof query === 'string')
    return { provider, route, url: `${provider.upstream}${target.path}${query}` };
  return { status: 403, reason: `the parameter ${JSON.stringify(query.refused)} is not passed on` };
}

function dialectOf({ request, providers }: Exchange): Provider['dialect'] {
  const host = targetOf(request.url)?.host ?? '';
  return (
    providers.find((each) => each.host === host)?.dialect ?? (/anthropic/.test(host) ? 'anthropic' : 'openai')
  );
}

const unknownAddress: Refusal = {
  status: 404,
  reason: 'there is nothing at this address: expected the host of a provider and a path of its API',
};
const wrongKey: Refusal = {
  status: 401,
  reason: 'the request does not carry the key that the agent was given in its environment',
};
const noUpgrade: Refusal = { status: 426, reason: 'only plain HTTP is passed on: no WebSocket' };

function withoutProvider({ host }: Target, providers: readonly Provider[]): Refusal {
  const known = providers.map((each) => each.host).join(', ');
  const reason = `there is no key for ${host} here. The operator has set those for: ${known || 'nothing'}`;
  return { status: 404, reason };
}

function notInference(method: string, { host, path }: Target): Refusal {
  const asked = `${method} ${path}`.slice(0, 200);
  return { status: 404, reason: `${asked} is not passed on to ${host}: only requests for inference are` };
}

/** One request, and what it needs. */
export interface Exchange {
  readonly providers: readonly Provider[];
  readonly budget: Budget;
  /** Whether a provider may use the network for the agent. */
  readonly providerTools: boolean;
  readonly limits: ModelLimits;
  /** The bytes of bodies that may be in memory. */
  readonly memory: Slots;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Aborted when the client is gone, or has its answer. */
  readonly gone: AbortSignal;
}

/** A request that may be sent on. */
export interface Call {
  readonly provider: Provider;
  readonly route: Route;
  readonly url: string;
}

type InferenceCall = Call & { readonly route: Extract<Route, { readonly format: Format }> };

/** Passes a question about models on, which costs nothing. */
export async function list(exchange: Exchange, call: Call): Promise<void> {
  const { request, gone } = exchange;
  const headers = requestHeaders(request.headers, call.provider, undefined);
  const sent = await ask(exchange, { ...call, headers, body: undefined }, gone);
  if ('status' in sent) return refuse(exchange.response, call.provider.dialect, sent);
  await passOn(exchange, sent.answer, undefined);
}

/** Reads and checks a request, asks the budget, and sends it. */
export async function infer(exchange: Exchange, call: InferenceCall): Promise<void> {
  const { request, response, memory, limits, gone, providerTools } = exchange;
  const { dialect } = call.provider;
  const release = await memory.take(gone, sizeOf(request, limits));
  try {
    const body = await readBody(request, limits);
    if ('status' in body) return refuse(response, dialect, body);
    const passed = filter(body.value, { ...call, providerTools });
    if ('status' in passed) return refuse(response, dialect, passed);
    if (call.route.kind === 'count') return void (await answered(exchange, call, passed));
    await spend(exchange, call, passed);
  } finally {
    release();
  }
}

async function spend(exchange: Exchange, call: InferenceCall, passed: Passed): Promise<void> {
  const admission = await admitted(exchange, passed);
  if ('status' in admission) return refuse(exchange.response, call.provider.dialect, admission);
  let usage: Usage | undefined = unheard(passed);
  try {
    usage = await answered(exchange, call, passed);
  } finally {
    admission.settle(usage);
  }
}

async function admitted(
  { budget, gone }: Exchange,
  { likely }: Passed,
): Promise<Extract<Admission, { readonly admitted: true }> | Refusal> {
  try {
    const admission = await budget.admit(likely, gone);
    if (admission.admitted) return admission;
    return { status: 400, reason: exhaustedText(admission.exhausted) };
  } catch (fault) {
    if (gone.aborted) throw fault;
    return { status: 503, reason: 'what the request costs could not be recorded', retryAfterS: 5 };
  }
}

/** Sends a request and passes the answer on. Returns what it used; undefined if nothing. */
async function answered(exchange: Exchange, call: InferenceCall, passed: Passed): Promise<Usage | undefined> {
  const { request, response, limits, gone } = exchange;
  const { body, likely } = passed;
  const headers = requestHeaders(request.headers, call.provider, body);
  const signal = later(gone, limits.readOnMs);
  try {
    const sent = await ask(exchange, { ...call, headers, body }, signal);
    if ('status' in sent) {
      refuse(response, call.provider.dialect, sent);
      return sent.mayHaveBegun ? unheard(passed) : undefined;
    }
    const { answer } = sent;
    const isCounted = call.route.kind === 'inference' && (answer.statusCode ?? 0) < 300;
    const isEvents = /^text\/event-stream/i.test(answer.headers['content-type'] ?? '');
    const { format } = call.route;
    const along = isCounted ? meter({ format, isEvents, likely }) : undefined;
    await passOn(exchange, answer, along);
    return along?.usage();
  } finally {
    signal.cancel();
  }
}

/** If nothing was heard of a request, it counts by what it made the model read. */
function unheard({ likely }: Passed): Usage {
  return { ...likely, tokens: { ...noTokens, input: likely.tokens.input } };
}

interface Begun {
  readonly answer: IncomingMessage;
}

type Question = Pick<Call, 'url' | 'provider'> & Pick<Parameters<typeof send>[0], 'headers' | 'body'>;

/** The beginning of the answer, or why there is none that can be passed on. */
async function ask(
  { limits }: Exchange,
  { url, headers, body, provider }: Question,
  signal: AbortSignal,
): Promise<Begun | (Refusal & { readonly mayHaveBegun: boolean })> {
  try {
    const answer = await send(
      { url, method: body === undefined ? 'GET' : 'POST', headers, body },
      limits,
      signal,
    );
    const reason = objectionTo(answer);
    if (reason === undefined) return { answer };
    answer.destroy();
    return {
      status: 502,
      reason: `${provider.host} ${reason}`,
      mayHaveBegun: (answer.statusCode ?? 0) < 300,
    };
  } catch (fault) {
    if (!(fault instanceof Unreachable)) throw fault;
    return {
      status: 502,
      reason: `${provider.host} could not be reached: ${fault.message}`,
      mayHaveBegun: fault.mayHaveBegun,
    };
  }
}

function objectionTo({ statusCode = 0, headers }: IncomingMessage): string | undefined {
  if (statusCode >= 300 && statusCode < 400)
    return `answered with a redirect (${statusCode}), which is not followed`;
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() === 'identity') return undefined;
  return `answered with the encoding ${JSON.stringify(encoding.slice(0, 40))}, which was not asked for`;
}

async function passOn(
  { response, providers, limits, gone }: Exchange,
  answer: IncomingMessage,
  along: Meter | undefined,
) {
  const keys = keysOf(providers);
  if (!gone.aborted) {
    response.writeHead(
      answer.statusCode ?? 502,
      responseHeaders(answer.headers, (text) => withoutKeys(text, keys)),
    );
    response.flushHeaders();
  }
  await relay(answer, response, { ...limits, redactor: redactor(keys), meter: along });
}

/** Aborts so much later than another signal. */
function later(signal: AbortSignal, ms: number): AbortSignal & { cancel(): void } {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const start = () => {
    timer = setTimeout(() => controller.abort(signal.reason), ms);
  };
  signal.addEventListener('abort', start, { once: true });
  const cancel = () => {
    signal.removeEventListener('abort', start);
    clearTimeout(timer);
  };
  return Object.assign(controller.signal, { cancel });
}

const mebibyte = 1024 * 1024;

/** Times in milliseconds. */
const modelLimits = {
  /** Requests to providers; more wait. */
  atOnce: 16,
  /** Until connected with a provider. */
  connectMs: 30_000,
  /** Without a byte from the provider, or with a client that does not read. */
  idleMs: 10 * 60_000,
  /** For the whole body of a request to arrive. */
  bodyMs: 60_000,
  /** How long an answer is read after its client went away, to learn what it used. */
  readOnMs: 30_000,
  /** Of a request's body: Anthropic accepts requests of 32 MB. */
  maxBytes: 32 * mebibyte,
  /** Of the bodies of all requests of an attempt that have no answer yet. */
  maxBytesTogether: 128 * mebibyte,
};

type ModelLimits = Readonly<typeof modelLimits>;
