import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { EgressOptions } from './egress-options.ts';
import { refusalPath } from './forwarder/refusals.ts';
import { ownAddresses, publicAddresses } from './proxy/dial.ts';
import { connectThrough, type ProxyOptions, passOn } from './proxy/proxy.ts';
import type { BlockedHosts } from './refusals/blocked.ts';
import { attend } from './server/attend.ts';
import type { Handlers } from './server/bounded-server.ts';

/** What the main door has besides the proxy. */
export interface Own {
  readonly blocked: BlockedHosts;
  readonly models: RequestListener | undefined;
  /** Our own sockets, by the ports that lead to them. */
  readonly sockets: ReadonlyMap<number, string>;
}

/** The proxy, and on the same port what we answer ourselves. */
export function proxyHandlers(options: EgressOptions, own: Own): Handlers {
  const through = proxyOptions(options, own);
  const answerOwn = ownHandlers(own);
  return {
    connect: (request, program, head) => {
      attend(program, () => connectThrough(request, program, { ...through, head }));
    },
    request: (request, response) => {
      if (hasScheme(request)) attend(request.socket, () => passOn(request, response, through));
      else answerOwn(request, response);
    },
  };
}

function hasScheme({ url = '' }: IncomingMessage): boolean {
  return /^[a-z][a-z\d+.-]*:/i.test(url);
}

function proxyOptions(options: EgressOptions, { blocked, sockets }: Own): ProxyOptions {
  const { use, reach, registries, privateHosts, modelHosts = [], resolve } = options;
  return {
    use,
    reach,
    blocked,
    own: sockets,
    known: { registries: registries.map(({ host }) => host), privateHosts, modelHosts },
    resolve: resolve ?? ((host, isPrivate) => (isPrivate ? ownAddresses : publicAddresses)(host)),
    connectMs: options.connectMs ?? 20_000,
    idleMs: options.idleMs ?? 10 * 60_000,
  };
}

/** Requests to us: what the forwarder tells, and those for models. */
export function ownHandlers({ blocked, models }: Own): RequestListener {
  return (request, response) => {
    const refusal = refusalIn(request);
    if (refusal !== undefined) {
      attend(request.socket, () => hear(request, response, (command) => blocked.name(refusal, command)));
    } else if (models !== undefined && !hasScheme(request)) models(request, response);
    else response.writeHead(404, { 'content-type': 'text/plain', connection: 'close' }).end(noModels);
  };
}

/** The number of the refusal that the forwarder tells us about. */
function refusalIn({ method, url = '' }: IncomingMessage): string | undefined {
  if (method !== 'POST' || !url.startsWith(refusalPath)) return undefined;
  return /^\d{1,15}$/.exec(url.slice(refusalPath.length))?.[0];
}

const noModels = 'Coxswain: programs for this use reach no model.\n';

const maxCommandBytes = 1_000;

async function hear(request: IncomingMessage, response: ServerResponse, told: (text: string) => void) {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk;
    if (text.length > maxCommandBytes) return void response.writeHead(413, { connection: 'close' }).end();
  }
  told(text);
  response.writeHead(204, { connection: 'close' }).end();
}
