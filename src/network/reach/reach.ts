import { BlockList, isIP, isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { isModelHost } from '../../config/schema/hosts.ts';
import type { Reach } from '../../steering/shapes/settings.ts';

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

/** Where a program wants to go. The host is in lower case, without a dot at its end. */
export interface Target {
  readonly host: string;
  readonly port: number;
}

/** `example.org:443`, as CONNECT has it; undefined: no host and port. Brackets of IPv6 addresses stay. */
export function targetOf(authority: string, defaultPort?: number): Target | undefined {
  const found = /^(\[[\da-f:.%]+\]|[^\s:@/?#[\]\\]{1,255})(?::(\d{1,5}))?$/i.exec(authority);
  const [, name, digits] = found ?? [];
  const port = digits === undefined ? defaultPort : Number(digits);
  if (name === undefined || port === undefined || port < 1 || port > 65_535) return undefined;
  return { host: name.toLowerCase().replace(/\.$/, ''), port };
}

/**
 * Whether it is a name in the public DNS as programs write it: at least two labels, of which the last one
 * begins with a letter and has no `0x` in front, so that no notation of an IP address passes: `127.1`,
 * `2130706433`, `0x7f.0.0.0x1`, `[::1]`. `localhost` and what is below it are no such names (RFC 6761).
 */
function isPublicName(host: string): boolean {
  return host.length <= 253 && name.test(host) && !/(?:^|\.)localhost$/.test(host);
}

const name = /^(?:[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?\.)+[a-z](?:[a-z\d-]{0,61}[a-z\d])$/;

/** What a person writes for it in a configuration: the host, with the port unless it is 443 or 80. */
export function written({ host, port }: Target): string {
  return port === 443 || port === 80 ? host : `${host}:${port}`;
}

/** Whether a target is what an entry such as `example.org`, `*.example.org` or `example.org:8443` names. */
export function names(entry: string, { host, port }: Target): boolean {
  const [, wildcard, named = '', digits] = /^(\*\.)?([^:]+?)\.?(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
  const fits = wildcard === undefined ? host === named : host.endsWith(`.${named}`);
  return (
    fits && named !== '' && (digits === undefined ? port === 443 || port === 80 : port === Number(digits))
  );
}

/**
 * The hosts of public registries of packages: where each tool looks by default, and where its downloads come
 * from. Anybody may publish there, so a program that reaches them can also send something out.
 */
const publicRegistries: readonly string[] = [
  // npm, Yarn, pnpm, Bun
  ...['registry.npmjs.org', 'registry.npmjs.com', 'registry.yarnpkg.com', 'npm.jsr.io'],
  // Node.js itself, for corepack, nvm and the headers that node-gyp needs
  ...['nodejs.org', 'repo.yarnpkg.com'],
  // Deno
  ...['jsr.io', 'deno.land'],
  // Python
  ...['pypi.org', 'files.pythonhosted.org', 'conda.anaconda.org', 'repo.anaconda.com'],
  // Go
  ...['proxy.golang.org', 'sum.golang.org'],
  // Rust
  ...['crates.io', 'index.crates.io', 'static.crates.io', 'static.rust-lang.org'],
  // Java, Kotlin, Scala, Clojure
  ...['repo.maven.apache.org', 'repo1.maven.org', 'maven.google.com', 'dl.google.com'],
  ...['repo.scala-sbt.org', 'repo.clojars.org'],
  ...['plugins.gradle.org', 'plugins-artifacts.gradle.org', 'services.gradle.org', 'downloads.gradle.org'],
  // Ruby
  ...['rubygems.org', 'index.rubygems.org', 'api.rubygems.org', 'bundler.rubygems.org'],
  // PHP
  ...['packagist.org', 'repo.packagist.org', 'getcomposer.org'],
  // .NET
  ...['api.nuget.org', 'globalcdn.nuget.org'],
  // Elixir, Erlang
  ...['hex.pm', 'repo.hex.pm', 'builds.hex.pm'],
  // Dart, Haskell, OCaml, Lua, Perl, R, Julia, Swift's CocoaPods
  ...['pub.dev', 'hackage.haskell.org', 'opam.ocaml.org', 'luarocks.org'],
  ...['cpan.metacpan.org', 'fastapi.metacpan.org', 'cloud.r-project.org', 'cran.r-project.org'],
  ...['pkg.julialang.org', 'storage.julialang.net', 'cdn.cocoapods.org'],
];

/**
 * Whether an IP address is one of the public Internet, and not of this machine: what IANA's registries of
 * special-purpose addresses list for IPv4 and IPv6 is not, nor is multicast, nor an address of IPv6 that
 * carries such an address of IPv4.
 */
export function isPublic(address: string, ours: readonly string[] = addressesOfThisMachine()): boolean {
  if (isIP(address) === 0 || address.includes('%')) return false;
  const plain = embeddedV4(address) ?? address;
  const family = familyOf(plain);
  // A connection to our own public address does not pass the firewall in front of it.
  return [special[family], listOf(ours)].every((list) => !list.check(plain, family));
}

function addressesOfThisMachine(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address));
}

/** What is not public, by family, since each address of IPv4 counts as one of IPv6 too. */
const special = {
  // https://www.iana.org/assignments/iana-ipv4-special-registry, and multicast.
  ipv4: listOf([
    ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
    ...['192.0.0.0/24', '192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24'],
    ...['192.168.0.0/16', '192.175.48.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
    '224.0.0.0/3',
    // Looks public, but is the host of a virtual machine in Azure, GitHub's runners included.
    '168.63.129.16',
  ]),
  ipv6: listOf([
    // All that is not assigned to the public Internet, which is 2000::/3.
    ...['::/3', '4000::/2', '8000::/1'],
    // https://www.iana.org/assignments/iana-ipv6-special-registry, as far as it is within that.
    ...['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'],
  ]),
};

/** A list that can be asked whether an address is one of these, or in one of these ranges. */
function listOf(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', prefix] = entry.split('/');
    if (prefix === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(prefix), familyOf(address));
  }
  return list;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv4(address) ? 'ipv4' : 'ipv6';
}

/** The address of IPv4 in a mapped one (`::ffff:0:0/96`) or a translated one (`64:ff9b::/96`, RFC 6052). */
function embeddedV4(address: string): string | undefined {
  const { hostname } = new URL(`http://${isIPv4(address) ? address : `[${address}]`}`);
  const found = /^\[(?:::ffff:|64:ff9b::)(?:([\da-f]{1,4}):)?([\da-f]{1,4})\]$/.exec(hostname);
  if (found === null) return undefined;
  const [high, low] = [found[1] ?? '0', found[2] ?? '0'].map((group) => Number.parseInt(group, 16));
  return [high ?? 0, low ?? 0].flatMap((group) => [group >> 8, group & 255]).join('.');
}
