import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { Socket } from 'node:net';

/** A program that is refused ever more must not keep us busy. */
let looks = 200;

/** The command line of the program at the other end of a connection of this machine, if it can be seen. */
export function commandOf({ remotePort = 0, localPort = 0 }: Socket): string | undefined {
  if (looks === 0) return undefined;
  looks -= 1;
  const inode = inodeOf(remotePort, localPort);
  const owner = inode === undefined ? undefined : ownerOf(`socket:[${inode}]`);
  return owner === undefined ? undefined : commandLine(owner);
}

/** The socket with these ports, in the kernel's tables of connections. */
function inodeOf(from: number, to: number): string | undefined {
  const [local, remote] = [from, to].map((port) => port.toString(16).toUpperCase().padStart(4, '0'));
  const line = new RegExp(`^ *\\d+: [0-9A-F]+:${local} [0-9A-F]+:${remote} (?:\\S+ +){6}(\\d+)`, 'm');
  // A program that speaks IPv6 reaches 127.0.0.1 too.
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    const found = line.exec(textOf(table))?.[1];
    if (found !== undefined && found !== '0') return found;
  }
  return undefined;
}

function ownerOf(link: string): string | undefined {
  const processes = namesIn('/proc').filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
  return processes.find((id) =>
    namesIn(`/proc/${id}/fd`).some((name) => linkOf(`/proc/${id}/fd/${name}`) === link),
  );
}

function commandLine(id: string): string {
  const words = textOf(`/proc/${id}/cmdline`).split('\0').join(' ').trim();
  return (words === '' ? textOf(`/proc/${id}/comm`).trim() : words).slice(0, 200);
}

// Processes end while we look, and others belong to another user: they are not what we look for.

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
