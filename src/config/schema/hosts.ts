/** Names of hosts, as they are written in configurations: `api.example.com`, `*.example.org:8443`. */

const label = '[A-Za-z0-9](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9])?';

/** At least two labels, of which the last begins with a letter: so an address in digits is no name. */
const name = `(?=.{1,253}$|.{1,253}:)(?:${label}\\.)+[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?`;

const port = '(?::[1-9][0-9]{0,4})?';

/** A name, or all names below it. */
export const hostPattern = new RegExp(`^(?:\\*\\.)?${name}${port}$`);

/** By convention the machine itself. */
function isLocal(host: string): boolean {
  return nameOf(host).endsWith('.localhost');
}

/** Whether it is the name of a host, or of all hosts below one. */
export function isHost(text: string): boolean {
  return hostPattern.test(text) && Number(portOf(text) || 443) <= 65_535 && !isLocal(text);
}

/** A host without its port. */
export function nameOf(host: string): string {
  return host.replace(/:\d+$/, '').toLowerCase();
}

/**
 * Whether one host or glob is at least as wide as the other: `*.example.org` covers `a.b.example.org`, and
 * without a port `a.b.example.org:443`.
 */
export function coversHost(wide: string, host: string): boolean {
  if (!coversPort(portOf(wide), portOf(host))) return false;
  const [outer, inner] = [nameOf(wide), nameOf(host)];
  if (outer === inner) return true;
  return outer.startsWith('*.') && inner.endsWith(outer.slice(1)) && inner !== outer.slice(1);
}

function coversPort(wide: string, port: string): boolean {
  return wide === port || (wide === '' && (port === '443' || port === '80'));
}

/** The same name for the same registry: without the port if that is 443. */
export function registryName(host: string): string {
  return host.replace(/:443$/, '').toLowerCase();
}

/** Empty where the ports 443 and 80 are meant. */
function portOf(host: string): string {
  return /:(\d+)$/.exec(host)?.[1] ?? '';
}
