import type { RegistrySettings } from '../../steering/shapes/settings.ts';

/** A registry of packages besides the public ones. */
export interface Registry extends RegistrySettings {
  /** The token, or `user:password`, which we put into requests; without one the host is only allowed. */
  readonly secret?: string;
  /** The address that its tools are configured with, if that is more than `https://` and the host. */
  readonly upstream?: string;
}

/** A registry that is reached through us, since we know its token. */
export type TokenRegistry = Registry & { readonly secret: string };

/** A registry with a token at our own address for it, such as `http://127.0.0.1:3129`. */
export interface Served {
  readonly registry: Registry;
  readonly origin: string;
  /** What requests must show; npm does so in a header, all other tools in their paths. */
  readonly access?: string;
  /** Whether programs of this use may reach it. */
  readonly allowed: boolean;
}

export function hasToken(registry: Registry): registry is TokenRegistry {
  return registry.secret !== undefined && registry.secret !== '';
}

/** Where its packages are; everything below the path of this address is. Ends with a slash. */
export function upstreamOf({ host, kind, upstream }: Registry): URL {
  const url = new URL(upstream ?? `https://${host}/${kind === 'pypi' ? 'simple/' : ''}`);
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return url;
}

/** The address by which projects know it, from which the hook leads to ours. Ends with a slash. */
export function ownAddress(registry: Registry): string {
  return `https://${registry.host}${upstreamOf(registry).pathname}`;
}

/**
 * The header that proves who asks, as each kind of registry wants it: a user and a password always as Basic,
 * which is how PyPI takes a token too (https://pypi.org/help/#apitoken); cargo sends a token as it is
 * (https://doc.rust-lang.org/cargo/reference/registry-authentication.html).
 */
export function authorization({ kind, secret }: TokenRegistry): string {
  if (secret.includes(':')) return basic(secret);
  if (kind === 'pypi') return basic(`__token__:${secret}`);
  return kind === 'cargo' ? secret : `Bearer ${secret}`;
}

function basic(credentials: string): string {
  return `Basic ${Buffer.from(credentials).toString('base64')}`;
}

/** This variable tells the hook the routes, as JSON. */
export const routesVariable = 'COXSWAIN_REGISTRIES';

/** The header of requests that came through the hook: what their answers lead to will do so too. */
export const hookedHeader = 'x-coxswain-hooked';

/**
 * Where requests to a registry with a token go instead, by the name of its host and the port, such as
 * `npm.corp.example:443`.
 */
export type Routes = Readonly<Record<string, Pick<Served, 'origin' | 'access'>>>;
