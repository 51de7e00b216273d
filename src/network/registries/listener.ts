import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  validateHeaderValue,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { hookedHeader } from '../tools/node-hook/routes.ts';
import { permittedPath } from './path.ts';
import { authorization, type TokenRegistry, upstreamOf } from './registry.ts';
import { passBack, refuse } from './reply.ts';

export interface RegistryDoor {
  readonly listener: RequestListener;
  /** Says our own address, such as `http://127.0.0.1:3129`, by which programs reach the registry. */
  isAt(origin: string): void;
  close(): void;
}

export interface RegistryDoorOptions {
  /** What requests must show, in their path or as a credential, where others could connect too. */
  readonly access?: string;
}

/**
 * Answers as a registry of packages does, with the token that programs do not have: reads only, and only what
 * is below the registry's own address. Its token goes to nobody else: redirects are the program's matter, and
 * lead to us as long as they lead to the same host.
 */
export function registryDoor(registry: TokenRegistry, { access }: RegistryDoorOptions): RegistryDoor {
  const upstream = upstreamOf(registry);
  const secure = upstream.protocol === 'https:';
  const agent = new (secure ? HttpsAgent : HttpAgent)({ keepAlive: true, maxSockets: 32 });
  const credentials = usableAuthorization(registry);
  let origin = '';
  const listener: RequestListener = (incoming, response) => {
    const path = permittedPath(incoming, { upstream, access });
    if (typeof path !== 'string') return refuse(response, path);
    const headers = {
      ...harmless(incoming),
      authorization: credentials,
      'accept-encoding': 'identity',
    };
    const request = secure ? httpsRequest : httpRequest;
    const outgoing = request(new URL(`${upstream.origin}${path}`), {
      method: incoming.method ?? 'GET',
      headers,
      agent,
    });
    incoming.resume();
    // With the hook, programs find us by the registry's own address, which then stays in lock files.
    const hooked = incoming.headers[hookedHeader] !== undefined;
    const back = { registry, path, origin: hooked ? `https://${registry.host}` : origin };
    send(outgoing, response, (reply) => passBack(reply, response, back));
  };
  const isAt = (address: string): void => {
    // Tools read addresses in an index as they are.
    origin = access === undefined || registry.kind === 'npm' ? address : `${address}/${access}`;
  };
  return { listener, isAt, close: () => agent.destroy() };
}

function usableAuthorization(registry: TokenRegistry): string {
  const value = authorization(registry);
  try {
    validateHeaderValue('authorization', value);
  } catch {
    // Its message is kept out of logs, whatever it says.
    throw new Error(`the token for ${registry.host} has a character that no request may have`);
  }
  return value;
}

/** Neither credentials nor what could make the upstream take the request for another one. */
function harmless({ headers }: IncomingMessage): Record<string, string> {
  const all = passed.map((name) => [name, headers[name]]);
  return Object.fromEntries(all.filter(([, value]) => typeof value === 'string'));
}

/** No ranges: what is rewritten has another length. */
const passed = ['accept', 'user-agent', 'if-none-match', 'if-modified-since', 'disable-module-fetch'];

const idleMs = 120_000;

function send(
  outgoing: ClientRequest,
  response: ServerResponse,
  reply: (incoming: IncomingMessage) => void,
): void {
  outgoing.setTimeout(idleMs, () => outgoing.destroy(new Error('no answer in time')));
  outgoing.on('error', ({ message }) => {
    if (response.headersSent) response.destroy();
    else refuse(response, { code: 502, text: `Coxswain: could not reach the registry (${message}).` });
  });
  // Nobody asked for another protocol; without this Node would leave the program without an answer.
  outgoing.once('upgrade', () => outgoing.emit('error', new Error('another protocol')));
  outgoing.once('response', reply);
  response.once('close', () => outgoing.destroy());
  outgoing.end();
}
