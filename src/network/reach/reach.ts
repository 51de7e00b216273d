import { isModelHost } from '../../config/model-hosts.ts';
import type { Reach } from '../../steering/settings.ts';
import { publicRegistries } from './public-registries.ts';
import { isPublicName, names, type Target } from './target.ts';

/** What the operator allows and knows besides the configuration of the repository. */
export interface Known {
  /** The operator's registries of packages, as `host` or `host:port`. */
  readonly registries: readonly string[];
  /** Hosts that may lead to private addresses, as `host` or `host:port`. */
  readonly privateHosts: readonly string[];
  /** Hosts of models besides those that everybody knows. */
  readonly modelHosts?: readonly string[];
}

export type Verdict =
  /** `private`: its name may lead to a private address. */
  | { readonly allowed: true; readonly private: boolean }
  | { readonly allowed: false; readonly why: Objection };

/**
 * `unlisted`: the configuration can allow it. `model`: only our endpoint leads there. `address`: not a name of
 * the public DNS, but an IP address, `localhost` or the like. `private`: its name led to a private address.
 */
export type Objection = 'unlisted' | 'model' | 'address' | 'private';

/** Whether programs with this reach may connect to a host by its name. Ports are 443 and 80 unless named. */
export function allows(reach: Reach, target: Target, known: Known): Verdict {
  if (!isPublicName(target.host)) return { allowed: false, why: 'address' };
  if (isModelHost(target.host, known.modelHosts)) return { allowed: false, why: 'model' };
  const listed = entries(reach, known).some((entry) => names(entry, target));
  // What only `open` allows is public: nobody has named it, so nobody meant a private address.
  const open = reach.includes('open') && (target.port === 443 || target.port === 80);
  if (!listed && !open) return { allowed: false, why: 'unlisted' };
  const isPrivate = listed && known.privateHosts.some((entry) => names(entry, target));
  return { allowed: true, private: isPrivate };
}

function entries(reach: Reach, { registries }: Known): readonly string[] {
  return reach.flatMap((entry) => {
    if (entry === 'registries') return [...publicRegistries, ...registries];
    return entry.includes('.') ? [entry] : [];
  });
}
