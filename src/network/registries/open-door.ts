import { randomBytes } from 'node:crypto';
import type { RequestListener } from 'node:http';
import type { EgressOptions } from '../egress-options.ts';
import { names, type Target, targetOf } from '../reach/target.ts';
import type { BlockedHosts } from '../refusals/blocked.ts';
import { refused } from '../refusals/refusal.ts';
import { respond } from '../server/answer.ts';
import { type Door, openLoopbackDoor, openSocketDoor } from '../server/door.ts';
import type { Served } from '../tools/registry-settings.ts';
import { registryDoor } from './listener.ts';
import type { TokenRegistry } from './registry.ts';

/** A registry at its port, which may do nothing but say that programs of this use may not reach it. */
export interface ServedOrNot extends Served {
  readonly allowed: boolean;
}

interface RegistryPlace {
  readonly options: EgressOptions;
  readonly blocked: BlockedHosts;
  readonly port: number;
}

/** Opens the port of a registry with a token. */
export async function openRegistryDoor(registry: TokenRegistry, place: RegistryPlace) {
  const { use, folder, loopback = false, reach } = place.options;
  // Where other users of this machine could connect too.
  const access = loopback ? randomBytes(16).toString('hex') : undefined;
  const attended = registryDoor(registry, { ...(access !== undefined && { access }) });
  const target = targetOf(registry.host, 443) ?? { host: registry.host, port: 443 };
  const allowed = reach.some((entry) => entry === 'registries' || entry === 'open' || names(entry, target));
  const handlers = { request: allowed ? attended.listener : refusing(target, place) };
  const door = loopback
    ? await openLoopbackDoor(handlers)
    : await openSocketDoor(handlers, { folder, name: `${use}-${place.port}.sock`, port: place.port });
  attended.isAt(door.origin);
  const close = async (): Promise<void> => {
    await door.close();
    attended.close();
  };
  const served: ServedOrNot = {
    ...{ registry, origin: door.origin, allowed },
    ...(access !== undefined && { access }),
  };
  const opened: Door = { ...door, close };
  return { door: opened, served };
}

function refusing(target: Target, { options, blocked }: RegistryPlace): RequestListener {
  const { use, reach } = options;
  return (_, response) => respond(response, refused(target, 'unlisted', { use, reach, blocked }));
}
