import { existsSync } from 'node:fs';

/** The environment of this process, with the settings of `.env` in this folder, if there is one. */
export function ownEnvironment(): Readonly<Record<string, string | undefined>> {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return process.env;
}

/** The environment of this process alone, for commands in clones, where others may have written a `.env`. */
export function givenEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}

/**
 * As root, the programs of agents are another user, who must be able to read what we make for them: with the
 * umask of a hardened service they could not. Our own secrets are made with a mode of their own.
 */
export function letProgramsRead(): void {
  if (process.getuid?.() === 0) process.umask(0o022);
}

type Variables = Readonly<Record<string, string | undefined>>;

/** The API of a GitHub, and a token that somebody has set for it. */
interface OwnAccess {
  readonly baseUrl: string;
  readonly token: string;
}

/** The variables of a person's token; as for `gh`, those for github.com are never sent to another host. */
export function tokenVariables(web: string): readonly [string, string] {
  return web === 'https://github.com'
    ? ['GH_TOKEN', 'GITHUB_TOKEN']
    : ['GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN'];
}

/** How to ask a GitHub as the person who runs this; undefined if they have set no token for it. */
export function ownAccess(web: string, variables: Variables): OwnAccess | undefined {
  const token = tokenVariables(web)
    .map((name) => variables[name] ?? '')
    .find((value) => value !== '');
  if (token === undefined) return undefined;
  return { token, baseUrl: web === 'https://github.com' ? 'https://api.github.com' : `${web}/api/v3` };
}

/** The GitHub that `GH_HOST` names, github.com by default. */
export function webFrom({ GH_HOST: host }: Variables): string {
  if (host === undefined || host === '') return 'https://github.com';
  return /^(?:127\.0\.0\.1|localhost)(?::\d+)?$/.test(host) ? `http://${host}` : `https://${host}`;
}
