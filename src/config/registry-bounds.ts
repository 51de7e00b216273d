import type { NetworkSettings, Settings } from '../steering/settings.ts';
import { isWithin } from './network-bounds.ts';
import { uses } from './schema/network.ts';
import type { Violation } from './violation.ts';

/** A registry of the operator's, and the variable with its token. */
export interface KnownRegistry {
  readonly host: string;
  readonly token_env?: string;
}

/** What the operator says about registries. */
interface RegistryBounds {
  readonly registries?: readonly KnownRegistry[];
  readonly network?: NetworkSettings;
}

/**
 * A token goes only to the host that the operator has named beside it, and the word `registries` opens no
 * other host than the operator would.
 */
export function registryViolations(
  { registries: known, network: bound }: RegistryBounds,
  { registries: asked = [], network }: Settings,
): Violation[] {
  return asked.flatMap(({ host, token_env }, index): Violation[] => {
    const listed = known?.filter((each) => each.host === host) ?? [];
    const isKnown = listed.some((each) => each.token_env === token_env);
    if (token_env !== undefined && known !== undefined && !isKnown)
      return [
        { path: ['registries', index, 'token_env'], bound: 'registries', allowed: allowedFor(host, known) },
      ];
    if (bound === undefined || listed.length > 0) return [];
    const closed = uses.find((use) => network[use].includes('registries') && !isWithin(bound[use], host));
    if (closed === undefined) return [];
    return [{ path: ['registries', index, 'host'], bound: `network.${closed}`, allowed: 'no such host' }];
  });
}

function allowedFor(host: string, known: readonly KnownRegistry[]): string {
  const token = known.find((each) => each.host === host)?.token_env;
  return token === undefined ? `no token for ${host}` : `${token} for ${host}`;
}
