import type { EgressOptions } from './egress-options.ts';
import { type Own, ownHandlers, proxyHandlers } from './main-door.ts';
import { mainPort } from './main-port.ts';
import { type Blocked, BlockedHosts } from './refusals/blocked.ts';
import { openRegistryDoor, type ServedOrNot } from './registries/open-door.ts';
import { hasToken } from './registries/registry.ts';
import { type Door, openLoopbackDoor, openSocketDoor } from './server/door.ts';
import { mavenSettings } from './tools/maven-settings.ts';
import { npmEnvironment, npmFiles } from './tools/npm-registries.ts';
import { proxyEnvironment, proxyFiles } from './tools/proxy-settings.ts';
import { mavenMirror, placeholders, registryEnvironment, registryFiles } from './tools/registry-settings.ts';

export type { EgressOptions } from './egress-options.ts';
export type { Registry } from './registries/registry.ts';

/** What programs of one use can reach, and what they wanted besides. */
export interface Egress {
  /** For the forwarder and the sandbox: which port inside leads to which socket. None without a sandbox. */
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
    const own = new Map<number, string>();
    const main = await openMainDoor(options, { blocked, models: options.models, sockets: own });
    doors.push(main);
    const served: ServedOrNot[] = [];
    for (const registry of options.registries.filter(hasToken)) {
      const port = mainPort + doors.length;
      const opened = await openRegistryDoor(registry, { options, blocked, port });
      doors.push(opened.door);
      served.push(opened.served);
    }
    for (const { port, shortPath } of doors) if (shortPath !== undefined) own.set(port, shortPath);
    const sockets = doors.flatMap(({ port, socket }) => (socket === undefined ? [] : [{ port, socket }]));
    return {
      doors: sockets,
      origin: main.origin,
      ...forTools(options, served),
      takeBlocked: () => blocked.take(),
      runs: (command) => blocked.runs(command),
      close,
    };
  } catch (fault) {
    await close();
    throw fault;
  }
}

function openMainDoor(options: EgressOptions, own: Own): Promise<Door> {
  const { use, folder, loopback = false } = options;
  if (loopback) return openLoopbackDoor({ request: ownHandlers(own) });
  return openSocketDoor(proxyHandlers(options, own), {
    folder,
    name: `${use}-${mainPort}.sock`,
    port: mainPort,
  });
}

/**
 * What tells tools where everything is. Files are the same for each use of an attempt, which all have one
 * home: a registry that a use may not reach says so at its own port.
 */
function forTools({ home, loopback = false }: EgressOptions, served: readonly ServedOrNot[]) {
  const mirror = mavenMirror(served);
  const maven = mavenSettings({ ...(!loopback && { proxyPort: mainPort }), mirror });
  const open = served.filter(({ allowed }) => allowed);
  return {
    environment: {
      ...(!loopback && proxyEnvironment(mainPort, home)),
      ...placeholders(served),
      ...registryEnvironment(open),
      ...npmEnvironment(open, { home, loopback }),
    },
    homeFiles: {
      ...(!loopback && proxyFiles(mainPort)),
      ...((!loopback || mirror !== undefined) && { '.m2/settings.xml': maven }),
      ...registryFiles(served),
      ...npmFiles(served, { loopback }),
    },
  };
}
