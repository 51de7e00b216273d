import { existsSync } from 'node:fs';
import type { Variables } from '../../app/environment/variables.ts';
import { UsageError } from './exit.ts';

/** The environment of this process, with the settings of `.env` in this folder, if there is one. */
export function ownEnvironment(): Variables {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return process.env;
}

/** The environment of this process alone, for commands in clones, where others may have written a `.env`. */
export function givenEnvironment(): Variables {
  return process.env;
}

/**
 * As root, the programs of agents are another user, who must be able to read what we make for them: with the
 * umask of a hardened service they could not. Our own secrets are made with a mode of their own.
 */
export function letProgramsRead(): void {
  if (process.getuid?.() === 0) process.umask(0o022);
}

/**
 * How to ask a GitHub as the person who runs this command, for which `option` asks. Throws `UsageError` if they
 * have set no token for it; as for `gh`, those for github.com are never sent to another host.
 */
export function ownAccess(
  web: string,
  variables: Variables,
  { option, command }: { readonly option: string; readonly command: string },
): { readonly baseUrl: string; readonly token: string } {
  const [variable = ''] = tokenVariables(web);
  const token = givenToken(web, variables);
  if (token) return { token, baseUrl: apiOf(web) };
  const example = `${variable}=$(gh auth token) ${command}`;
  throw new UsageError(`${option} asks ${web} as you, and takes your token from ${variable}: ${example}`);
}

/**
 * The token that somebody has set for such a GitHub, as `gh` reads it; undefined or empty if there is none.
 */
export function givenToken(web: string, variables: Variables): string | undefined {
  const [first = '', second = ''] = tokenVariables(web);
  return variables[first] || variables[second];
}

function tokenVariables(web: string): readonly string[] {
  return isPublic(web) ? ['GH_TOKEN', 'GITHUB_TOKEN'] : ['GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN'];
}

/** Where the API of a GitHub is. */
export function apiOf(web: string): string {
  return isPublic(web) ? web.replace('://', '://api.') : `${web}/api/v3`;
}

/** Whether it is github.com, or has a domain of its own there, and is no Enterprise Server. */
function isPublic(web: string): boolean {
  return /^https:\/\/(?:github\.com|[\w-]+\.ghe\.com)$/.test(web);
}

/** `GH_HOST` names the GitHub, as for `gh`; without it, github.com is meant. */
export function webFrom({ GH_HOST: host }: Variables): string {
  if (host === undefined || host === '') return 'https://github.com';
  return /^(?:127\.0\.0\.1|localhost)(?::\d+)?$/.test(host) ? `http://${host}` : `https://${host}`;
}
