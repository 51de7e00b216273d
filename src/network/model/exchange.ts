import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Admission, type Budget, exhaustedText } from '../spending/budget.ts';
import { noTokens, type Usage } from '../spending/tokens.ts';
import { readBody, sizeOf } from './body.ts';
import { filter, type Passed } from './filter.ts';
import { requestHeaders, responseHeaders } from './headers.ts';
import type { ModelLimits } from './limits.ts';
import { keysOf, type Provider } from './providers.ts';
import { redactor, withoutKeys } from './redactor.ts';
import { type Refusal, refuse } from './refusal.ts';
import { relay } from './relay.ts';
import type { Format, Route } from './routes.ts';
import type { Slots } from './slots.ts';
import { send, Unreachable } from './upstream.ts';
import { type Meter, meter } from './usage.ts';

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

interface Asked {
  readonly answer: IncomingMessage;
}

type Question = Pick<Call, 'url' | 'provider'> & Pick<Parameters<typeof send>[0], 'headers' | 'body'>;

/** The beginning of the answer, or why there is none that can be passed on. */
async function ask(
  { limits }: Exchange,
  { url, headers, body, provider }: Question,
  signal: AbortSignal,
): Promise<Asked | (Refusal & { readonly mayHaveBegun: boolean })> {
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
