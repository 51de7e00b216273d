import type { RequestListener } from 'node:http';
import type { Reach, Use } from '../steering/settings.ts';
import type { Resolve } from './proxy/dial.ts';
import type { Registry } from './registries/registry.ts';

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
  /** For a connection to a permitted host, and for one on which nothing happens. */
  readonly connectMs?: number;
  readonly idleMs?: number;
}
