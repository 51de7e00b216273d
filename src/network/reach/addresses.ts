import { BlockList, isIP, isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';

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

/** By family: each address of IPv4 counts as one of IPv6 too. */
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

/** Of addresses and ranges. */
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
