import type { ProfileName } from '../../profiles/index.ts';
import { type DailyLimit, dailyLimits, limitNames } from '../../steering/limits.ts';
import type { AgentChoice, NetworkSettings, Reach, RegistrySettings, Use } from '../../steering/settings.ts';
import type { Bounds } from '../bounds.ts';
import { defined } from '../defined.ts';
import { usualNetwork } from '../network-bounds.ts';
import { reachFrom, uses } from '../schema/network.ts';
import { agentFrom, registryFrom } from '../settings.ts';
import { bytesOf } from './limits.ts';
import type { WrittenOperator } from './schema.ts';

/** What the operator's file says. */
export interface OperatorFile {
  readonly bounds: Bounds & Required<Pick<Bounds, 'network' | 'registries'>>;
  readonly defaults: { readonly agent?: AgentChoice; readonly network: Partial<NetworkSettings> };
  /** Which agents may be installed where they are missing: all or none, or these. */
  readonly install: boolean | readonly ProfileName[];
  /** Hosts that may have private addresses, each with a port unless 443 and 80 are meant. */
  readonly privateHosts: readonly string[];
  readonly registries: readonly OperatorRegistry[];
  /** Of several whose models match, the one with the longest counts. */
  readonly prices: readonly ModelPrice[];
  /** For all runs together, by UTC day. */
  readonly daily: { readonly [L in DailyLimit]?: number };
  /** What the programs of one attempt may use of this machine. */
  readonly resources: {
    readonly memoryBytes?: number;
    readonly processes?: number;
    readonly cpus?: number;
    readonly diskBytes?: number;
  };
}

/** A registry with the value of its token. */
export interface OperatorRegistry extends RegistrySettings {
  readonly secret?: string;
}

/** In US dollars per million tokens; `model` is a name or a glob. */
export interface ModelPrice {
  readonly model: string;
  readonly input: number;
  readonly output: number;
  readonly cached_input?: number;
  readonly cache_write?: number;
}

/** Without a file: everything may be asked for but the machine's own network and tokens. */
export const noOperatorFile: OperatorFile = {
  bounds: { network: usualNetwork, registries: [] },
  defaults: { network: {} },
  install: false,
  privateHosts: [],
  registries: [],
  prices: [],
  daily: {},
  resources: {},
};

/** For a file that has been checked, the variables of its tokens included. */
export function operatorFrom(
  written: WrittenOperator,
  variables: Readonly<Record<string, string | undefined>>,
): OperatorFile {
  const registries = written.registries.map(registryFrom);
  const { repositories, agents, commands, sandbox, gates } = written;
  const limits = picked(limitNames, (name) => written.limits[name]);
  const agent = agentFrom(written.defaults.agent);
  return {
    bounds: {
      ...defined({ repositories, agents, commands, sandbox, gates }),
      limits,
      network: boundFrom(written.network),
      registries,
    },
    defaults: { ...defined({ agent }), network: networkFrom(written.defaults.network) },
    install: written.install,
    privateHosts: written.private_hosts.map((host) => host.toLowerCase()),
    registries: registries.map((each) => ({ ...each, ...secretOf(each, variables) })),
    prices: written.prices.map(defined),
    daily: picked(dailyLimits, (name) => written.limits[`${name}_per_day`]),
    resources: resourcesFrom(written.limits),
  };
}

/** The limits that are written, by their names. */
function picked<Name extends string>(
  names: readonly Name[],
  amountOf: (name: Name) => number | undefined,
): { readonly [N in Name]?: number } {
  return defined(Object.fromEntries(names.map((name) => [name, amountOf(name)])));
}

/** What repositories may ask for, also where the file does not say. */
export function boundFrom(network: WrittenOperator['network']): NetworkSettings {
  const boundOf = (use: Use): Reach => network[use]?.map((entry) => entry.toLowerCase()) ?? usualNetwork[use];
  return { setup: boundOf('setup'), agent: boundOf('agent'), verifiers: boundOf('verifiers') };
}

function networkFrom(network: WrittenOperator['defaults']['network']): Partial<NetworkSettings> {
  const written = uses.filter((use) => network[use] !== undefined);
  return Object.fromEntries(written.map((use) => [use, reachFrom(network[use])]));
}

function secretOf({ token_env }: RegistrySettings, variables: Readonly<Record<string, string | undefined>>) {
  return token_env === undefined ? {} : defined({ secret: variables[token_env] });
}

function resourcesFrom({
  memory,
  disk,
  processes,
  cpus,
}: WrittenOperator['limits']): OperatorFile['resources'] {
  const memoryBytes = memory === undefined ? undefined : bytesOf(memory);
  const diskBytes = disk === undefined ? undefined : bytesOf(disk);
  return defined({ memoryBytes, processes, cpus, diskBytes });
}
