import { join } from 'node:path';
import { adaptersWith, installSandbox, openAgents, probeSandbox, type Sandbox } from '../agent/index.ts';
import type { AttemptServices } from '../engine/leased-work.ts';
import type { Log } from '../github/octokit/connect.ts';
import { keyNamesOf, keysOf } from '../network/model/providers.ts';
import type { Registry } from '../network/registries/registry.ts';
import { openSpending } from '../network/spending/open-spending.ts';
import type { Settings } from '../steering/shapes/settings.ts';
import type { ActionInputs } from './inputs.ts';

/**
 * What all attempts of a job work with. Loaded when the first begins, because it brings the agents' part. The
 * secrets are what must be neither written nor posted, besides the tokens of registries.
 */
export function openResources(
  inputs: ActionInputs,
  workRoot: string,
  log: AttemptServices['log'],
  secrets: readonly string[],
): AttemptServices['resources'] {
  const { data, agentEnvironment: environment, providers } = inputs;
  const sandbox = new JobSandbox(inputs, log);
  const spending = openSpending(join(data, 'spending'));
  const say = (text: string): void => log.info(text);
  // The runner is thrown away after the job, or somebody's own: whoever writes the workflow decides about it.
  const adapters = adaptersWith(openAgents({ cache: join(data, 'agents'), mayInstall: true, log: say }));
  return async (mirror, settings) => {
    const registries = registriesWith(settings, inputs, log);
    return {
      ...{ mirror, workRoot, adapters, environment, sandbox: await sandbox.under(settings) },
      network: { registries, privateHosts: [], providers, spending },
      secrets: [...secrets, ...registries.flatMap(({ secret }) => secret ?? [])],
    };
  };
}

/** The sandbox of a job, looked for only when work begins: most jobs only record a command and render. */
export class JobSandbox {
  readonly #inputs: Pick<ActionInputs, 'readable' | 'hostedLinux'>;
  readonly #log: Log;
  /** Once it works, or could not be installed, that stays so. */
  #found: Promise<Sandbox> | undefined;
  #told: string | null = null;
  #toldUnbounded = false;

  constructor(inputs: Pick<ActionInputs, 'readable' | 'hostedLinux'>, log: Log) {
    this.#inputs = inputs;
    this.#log = log;
  }

  /** The sandbox for work under these settings. The log says once that there is none, or what is not held. */
  async under({ sandbox: mode }: Settings): Promise<Sandbox> {
    const sandbox = mode === 'off' ? await probeSandbox('off') : await this.#find();
    const { note, unbounded } = sandbox;
    if (unbounded !== null && !this.#toldUnbounded) this.#log.info(unbounded);
    this.#toldUnbounded ||= unbounded !== null;
    // A required sandbox that is missing fails the job: only an owner can put that right.
    if (note !== null && note !== this.#told) this.#log[mode === 'required' ? 'error' : 'warn'](note);
    this.#told = note;
    return sandbox;
  }

  #find(): Promise<Sandbox> {
    const { readable, hostedLinux } = this.#inputs;
    const machine = { readable };
    this.#found ??= hostedLinux
      ? installSandbox(machine, this.#log.info)
      : probeSandbox('preferred', machine);
    return this.#found;
  }
}

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

/** Why it gets no token, in part of a sentence. */
function objectionTo(
  {
    name,
    secret,
    host,
  }: { readonly name: string; readonly secret: string | undefined; readonly host: string },
  given: Given,
): string | undefined {
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
