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
export function isPublicName(host: string): boolean {
  return host.length <= 253 && name.test(host) && !/(?:^|\.)localhost$/.test(host);
}

const name = /^(?:[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?\.)+[a-z](?:[a-z\d-]{0,61}[a-z\d])$/;

/** As a person writes it in a configuration: with the port, unless it is 443 or 80. */
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
