import { isIP } from 'node:net';
import { EnvironmentError, expected, textOf } from './values.ts';
import type { Variables } from './variables.ts';

const highestPort = 65_535;

/** Whether it is the number of a port, or 0. */
export function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) <= highestPort;
}

/** Where to listen; 0 is any free port. */
export function port(value: string): number {
  if (isPort(value)) return Number(value);
  throw expected('PORT', value, `a port from 0 to ${highestPort}, as in PORT=3000`);
}

/** The interface to listen on. */
export function host(value: string): string {
  if (isIP(value) !== 0 || isHostName(value)) return value;
  throw expected('HOST', value, 'an address or a name of this machine, as in HOST=0.0.0.0');
}

/** The REST API of an Enterprise Server, if there is one. */
export function apiUrl(variables: Variables): string | undefined {
  const name = textOf(variables, 'GHE_HOST');
  const protocol = textOf(variables, 'GHE_PROTOCOL') ?? 'https';
  if (name === undefined) return undefined;
  if (protocol !== 'https' && protocol !== 'http') throw expected('GHE_PROTOCOL', protocol, 'http or https');
  const [host = '', port = '443', ...more] = name.split(':');
  if (!isHostName(host) || !isPort(port) || more.length > 0)
    throw expected('GHE_HOST', name, 'a host without a protocol, as in GHE_HOST=github.example.org');
  return `${protocol}://${name}/api/v3`;
}

/** The channel from which webhooks are fetched. */
export function webhookProxyUrl(value: string): string {
  if (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return value;
  throw new EnvironmentError(
    'WEBHOOK_PROXY_URL is no address: expected a channel, as in https://smee.io/your-channel',
  );
}

function isHostName(text: string): boolean {
  return /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/i.test(text);
}
