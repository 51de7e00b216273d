import { setAside } from './agreed.ts';

/** The text of the forwarder, a program for Node.js as CommonJS: a file that ends in `.cjs`. */
export { script as forwarderScript } from './main.ts?program';

export interface Forwarder {
  /** Paths as the sandbox has them. */
  readonly node: string;
  readonly script: string;
  readonly doors: readonly { readonly port: number; readonly path: string }[];
}

/**
 * The command line that runs `argv` behind the forwarder. It ends with the exit code or the signal of the
 * program; 127 or 126 if that cannot be started, and 125 if the forwarder cannot do its work.
 */
export function forwarded(argv: readonly string[], { node, script, doors }: Forwarder): readonly string[] {
  return [node, script, ...doors.map(({ port, path }) => `${port}=${path}`), '--', ...argv];
}

/**
 * The environment to start the forwarder with, so that its program has exactly the given one: what Node
 * itself would obey is set aside under other names, which the forwarder takes back. A `NODE_OPTIONS` that
 * the program needs must neither change nor break the forwarder. Nor what makes the loader and the C library
 * load files: they would, from the workspace, before the sandbox is closed.
 */
export function forwarderEnvironment(environment: Readonly<Record<string, string>>): Record<string, string> {
  const renamed = Object.entries(environment).map(([name, value]) => [
    /^(?:NODE_|OPENSSL_|SSL_CERT_|UV_|LD_|GLIBC_|GCONV_|LOCPATH|NLSPATH|BASH_|SHELLOPTS|ENV$)/.test(name)
      ? `${setAside}${name}`
      : name,
    value,
  ]);
  return Object.fromEntries(renamed);
}
