import type { RequestListener } from 'node:http';
import type { Budget } from '../spending/budget.ts';
import { type Call, type Exchange, infer, list } from './exchange.ts';
import { carriesKey } from './headers.ts';
import { type ModelLimits, modelLimits } from './limits.ts';
import type { Provider } from './providers.ts';
import { type Refusal, refuse } from './refusal.ts';
import { queryOf, routeOf, type Target, targetOf } from './routes.ts';
import { type Slots, slots } from './slots.ts';

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
