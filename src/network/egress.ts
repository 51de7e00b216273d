import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Reach, Use } from '../steering/shapes/settings.ts';
import { refusalPath } from './forwarder/agreed.ts';
import { ownAddresses, publicAddresses, type Resolve } from './proxy/dial.ts';
import { connectThrough, type ProxyOptions, passOn } from './proxy/forward-proxy.ts';
import { type Blocked, BlockedHosts } from './reach/refused.ts';
import { openRegistryDoor } from './registries/door.ts';
import { hasToken, type Registry, type Served } from './registries/registry.ts';
import { attend, type Door, type Handlers, mainPort, openDoor, respond } from './server/bounded-server.ts';
import { toolSettings } from './tools/proxy-settings.ts';

export interface EgressOptions {
  readonly use: Use;
  readonly reach: Reach;
  /** A folder of this attempt's own, 0700, in which sockets are made; its path may be long. */
  readonly folder: string;
  /** The operator's registries. */
  readonly registries: readonly Registry[];
  /** The operator's hosts that may lead to private addresses, such as `npm.corp.example:8443`. */
  readonly privateHosts: readonly string[];
  /** The operator's hosts of models, besides those that everybody knows. */
  readonly modelHosts?: readonly string[];
  /** Answers `POST /api.anthropic.com/v1/messages` on the main port; without it, 404. */
  readonly models?: RequestListener;
  /** The home folder, as the programs see it. */
  readonly home: string;
  /**
   * Without a sandbox nothing can be kept from the network: no proxy then, but models and registries with a
   * token at free ports of this machine.
   */
  readonly loopback?: boolean;
  /** Finds the addresses of hosts; by default those of DNS, and for private hosts those of this machine. */
  readonly resolve?: Resolve;
  /** How long connecting with a permitted host may take, and how long nothing may happen then. */
  readonly connectMs?: number;
  readonly idleMs?: number;
}

/** What programs of one use can reach, and what they wanted besides. */
export interface Egress {
  /** Which port inside leads to which socket, as forwarder and sandbox need it. None without a sandbox. */
  readonly doors: readonly { readonly port: number; readonly socket: string }[];
  /** Where models are, such as `http://127.0.0.1:3128`. */
  readonly origin: string;
  /** Variables for the programs inside. */
  readonly environment: Readonly<Record<string, string>>;
  /** Files to put into the home folder before anything runs, by path relative to it. */
  readonly homeFiles: Readonly<Record<string, string>>;
  /** Hosts refused since the last call, each host and command once, at most 20. */
  takeBlocked(): readonly Blocked[];
  /** Names the command that runs now, for `takeBlocked`. */
  runs(command: string): void;
  close(): Promise<void>;
}

/** Opens an egress; it stays open until it is closed. Rejects, with nothing left open, if it cannot. */
export async function openEgress(options: EgressOptions): Promise<Egress> {
  const doors: Door[] = [];
  const close = async (): Promise<void> => void (await Promise.all(doors.map((door) => door.close())));
  try {
    const blocked = new BlockedHosts();
    const main = await openDoor(mainHandlers(options, blocked, doors), { ...options, port: mainPort });
    doors.push(main);
    const served: Served[] = [];
    for (const registry of options.registries.filter(hasToken)) {
      const port = mainPort + doors.length;
      const opened = await openRegistryDoor(registry, { ...options, blocked, port });
      doors.push(opened.door);
      served.push(opened.served);
    }
    return {
      doors: doors.flatMap(({ port, socket }) => (socket === undefined ? [] : [{ port, socket }])),
      origin: main.origin,
      ...toolSettings(served, options),
      takeBlocked: () => blocked.take(),
      runs: (command) => blocked.runs(command),
      close,
    };
  } catch (fault) {
    await close();
    throw fault;
  }
}

/**
 * The proxy, and on the same port what we answer ourselves: what the forwarder tells, and requests for
 * models. `doors`: our own, also those that are opened later.
 */
function mainHandlers(options: EgressOptions, blocked: BlockedHosts, doors: readonly Door[]): Handlers {
  const { use, reach, privateHosts, modelHosts = [], models, loopback } = options;
  const through = {
    ...{ use, reach, blocked, doors },
    known: { registries: options.registries.map(({ host }) => host), privateHosts, modelHosts },
    resolve: options.resolve ?? ((host, isPrivate) => (isPrivate ? ownAddresses : publicAddresses)(host)),
    connectMs: options.connectMs ?? 20_000,
    idleMs: options.idleMs ?? 10 * 60_000,
  } satisfies ProxyOptions;
  const request: RequestListener = (asked, response) => {
    const refusal = refusalIn(asked);
    if (!loopback && hasScheme(asked)) attend(asked.socket, () => passOn(asked, response, through));
    else if (refusal !== undefined)
      attend(asked.socket, () => hear(asked, response, (command) => blocked.name(refusal, command)));
    else if (models !== undefined && !hasScheme(asked)) models(asked, response);
    else respond(response, noModels);
  };
  if (loopback) return { request };
  const connect: Handlers['connect'] = (asked, program, head) =>
    attend(program, () => connectThrough(asked, program, { ...through, head }));
  return { request, connect };
}

function hasScheme({ url = '' }: IncomingMessage): boolean {
  return /^[a-z][a-z\d+.-]*:/i.test(url);
}

/** The number of the refusal that the forwarder tells us about. */
function refusalIn({ method, url = '' }: IncomingMessage): string | undefined {
  if (method !== 'POST' || !url.startsWith(refusalPath)) return undefined;
  return /^\d{1,15}$/.exec(url.slice(refusalPath.length))?.[0];
}

const noModels = { status: '404 Not Found', text: 'Coxswain: programs for this use reach no model.' };

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
