import { isIP } from 'node:net';
import type { Reach } from '../page/reach.ts';
import type { AppEnvironment } from './environment/environment.ts';

/** Who can reach the page: only who is at this machine, if it listens there and nothing else leads to it. */
export function pageReach({ host, pageUrl }: Pick<AppEnvironment, 'host' | 'pageUrl'>): Reach {
  const hosts = pageUrl === null ? [host] : [host, new URL(pageUrl).hostname];
  return hosts.every(isLoopback) ? 'this_machine' : 'network';
}

function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase();
  if (isIP(name) === 4) return name.startsWith('127.');
  return name === '::1' || name === 'localhost' || name.endsWith('.localhost');
}
