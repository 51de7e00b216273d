import { BlockList, isIP, isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';

/**
 * Whether an IP address is one of the public Internet, and not of this machine: what IANA's registries of
 * special-purpose addresses list for IPv4 and IPv6 is not, nor is multicast, nor an address of IPv6 that
 * carries such an address of IPv4.
 */
export function isPublic(address: string, ours: readonly string[] = addressesOfThisMachine()): boolean {
  const family = isIP(address);
  if (family === 0 || address.includes('%')) return false;
  // A connection to our own public address does not pass the firewall in front of it.
  if (ours.some((each) => canonical(each) === canonical(address))) return false;
  if (family === 4) return !specialV4.check(address);
  const inside = embeddedV4(groupsOf(address));
  if (inside !== undefined) return isPublic(inside, ours);
  return globalV6.check(address, 'ipv6') && !specialV6.check(address, 'ipv6');
}

function addressesOfThisMachine(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address));
}

/** https://www.iana.org/assignments/iana-ipv4-special-registry, and multicast. */
const specialV4 = blockList('ipv4', [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
  // Looks public, but is the host of a virtual machine in Azure, GitHub's runners included.
  ['168.63.129.16', 32],
]);

/** All that is assigned to the public Internet; everything else is private, local or reserved. */
const globalV6 = blockList('ipv6', [['2000::', 3]]);

/** https://www.iana.org/assignments/iana-ipv6-special-registry, as far as it is within the above. */
const specialV6 = blockList('ipv6', [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
]);

function blockList(family: 'ipv4' | 'ipv6', ranges: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of ranges) list.addSubnet(network, prefix, family);
  return list;
}

function canonical(address: string): string {
  return isIPv4(address) ? address : groupsOf(address).join(':');
}

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): readonly number[] {
  const hexadecimal = (address.split('%')[0] ?? '').replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...bytes) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  const [before = [], after] = hexadecimal.split('::').map((half) => (half === '' ? [] : half.split(':')));
  const zeros = after === undefined ? [] : Array<string>(8 - before.length - after.length).fill('0');
  return [...before, ...zeros, ...(after ?? [])].map((group) => Number.parseInt(group, 16));
}

/** The address of IPv4 in a mapped one (`::ffff:0:0/96`) or a translated one (`64:ff9b::/96`, RFC 6052). */
function embeddedV4([a = 0, b = 0, c, d, e, f, g = 0, h = 0]: readonly number[]): string | undefined {
  const zeros = c === 0 && d === 0 && e === 0;
  const mapped = a === 0 && b === 0 && zeros && f === 0xffff;
  const translated = a === 0x64 && b === 0xff9b && zeros && f === 0;
  if (!mapped && !translated) return undefined;
  return [g >> 8, g & 255, h >> 8, h & 255].join('.');
}
