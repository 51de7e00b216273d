import type { Log } from '../github/octokit/connect.ts';
import { keyNamesOf, keysOf } from '../network/model/providers.ts';
import type { Registry } from '../network/registries/registry.ts';
import type { Settings } from '../steering/settings.ts';
import type { ActionInputs } from './inputs.ts';

type Given = Pick<ActionInputs, 'token' | 'providers' | 'registryToken' | 'serverUrl'>;

/**
 * The configuration's registries with their tokens, which the workflow gives to the job. A configuration
 * names both a variable and a host: what the job has for something else must not be sent there.
 */
export function registriesWith(
  { registries = [] }: Pick<Settings, 'registries'>,
  given: Given,
  log: Pick<Log, 'warn'>,
): readonly Registry[] {
  return registries.map((registry) => {
    const { token_env: name, host } = registry;
    if (name === undefined) return registry;
    const secret = given.registryToken(name);
    const objection = objectionTo({ name, secret, host }, given);
    if (objection === undefined) return { ...registry, ...(secret !== undefined && { secret }) };
    log.warn(`the registry ${host} is used without a token: ${objection}`);
    return registry;
  });
}

interface Wanted {
  readonly name: string;
  readonly secret: string | undefined;
  readonly host: string;
}

/** Why it gets no token, in part of a sentence. */
function objectionTo({ name, secret, host }: Wanted, given: Given): string | undefined {
  const { token, providers, serverUrl } = given;
  if (secret === undefined)
    return `${name} is not set in this job, which the workflow does under \`env:\` of the step`;
  const holdsKey = keysOf(providers).some((key) => secret.includes(key));
  if (holdsKey || keyNamesOf(providers).names.includes(name))
    return `${name} holds the key of a model, expected a variable for this token alone`;
  if (!secret.includes(token) || isGitHubs(host, serverUrl)) return undefined;
  return `${name} holds the token of the job, which goes to GitHub only`;
}

/** Whether packages there are GitHub's, for which the token of a job is made. */
function isGitHubs(host: string, serverUrl: string): boolean {
  const server = URL.canParse(serverUrl) ? new URL(serverUrl).host : 'github.com';
  return ['pkg.github.com', server].some((name) => host === name || host.endsWith(`.${name}`));
}
