import { lookup, Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { connect, isIPv4, type Socket } from 'node:net';
import { isPublic, type Target } from '../reach/reach.ts';

/** The addresses of a host. Rejects if it has none. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** The name of a host led to an address that is not public. */
export class PrivateAddress extends Error {
  override name = 'PrivateAddress';
}

interface DialOptions {
  /** The address may be private. */
  readonly private: boolean;
  readonly resolve: Resolve;
  readonly signal: AbortSignal;
  /** How long the name and the connection may take together. */
  readonly timeoutMs: number;
}

/**
 * A connection to a host, at one of the very addresses that were looked at: its name is resolved once, so a
 * second answer can lead nowhere else. Rejects with `PrivateAddress` if none of them is public.
 */
export async function dial(target: Target, options: DialOptions): Promise<Socket> {
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(options.timeoutMs)]);
  const addresses = permitted(await unlessAborted(options.resolve(target.host), signal), options);
  if (addresses.length === 0) throw new PrivateAddress(`${target.host} leads to no public address`);
  const connecting = connect({
    ...target,
    allowHalfOpen: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: 1_000,
    // With that, Node asks for all of them.
    lookup: (_, __, done) => done(null, addresses.slice(0, maxAddresses).map(withFamily)),
  });
  const socket = await established(connecting.setNoDelay(), signal);
  const reached = socket.remoteAddress;
  if (reached !== undefined && (options.private || isPublic(reached))) return socket;
  socket.destroy();
  throw new PrivateAddress(`${target.host} led to ${reached}`);
}

/** Which of the addresses of a host may be tried. */
export function permitted(found: readonly string[], options: { private: boolean }): readonly string[] {
  return options.private ? found : found.filter((each) => isPublic(each));
}

const maxAddresses = 8;

function withFamily(address: string) {
  return { address, family: isIPv4(address) ? 4 : 6 };
}

/** A connection to one of our own sockets. */
export function dialOwn(path: string, signal: AbortSignal): Promise<Socket> {
  return established(connect({ path, allowHalfOpen: true }), signal);
}

async function established(socket: Socket, signal: AbortSignal): Promise<Socket> {
  // Stays: an error may come before anybody else listens.
  socket.on('error', () => undefined);
  try {
    await once(socket, 'connect', { signal });
    return socket;
  } catch (fault) {
    socket.destroy();
    throw fault;
  }
}

/** What the system calls it that a host could not be reached; undefined if it has no name for it. */
export function codeOf(fault: unknown): string | undefined {
  const cause = fault instanceof Error && fault.cause instanceof Error ? fault.cause : fault;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
}

async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = once(signal, 'abort').then(() => {
    throw new Error('no address in time', { cause: signal.reason });
  });
  return Promise.race([promise, aborted]);
}

/**
 * The addresses of a public name. DNS itself, not the system's own function: that takes one of the few
 * threads that this process has for files and names, and a program that asks for slow names would stop all
 * the others.
 */
export const publicAddresses: Resolve = async (host) => {
  const resolver = new Resolver({ timeout: 5_000, tries: 2 });
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const addresses = answers.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  if (addresses.length > 0) return addresses;
  const causes = answers.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  throw new Error(`could not find ${host}`, { cause: causes[0] });
};

/** The addresses of a host of the operator's, as this machine knows it: `/etc/hosts` counts. */
export const ownAddresses: Resolve = async (host) => {
  const found = await lookup(host, { all: true, verbatim: true });
  return found.map(({ address }) => address);
};
