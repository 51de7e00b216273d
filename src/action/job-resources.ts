import { join } from 'node:path';
import { adaptersWith, openAgents } from '../agent/index.ts';
import { openSpending } from '../network/spending/spending.ts';
import type { AttemptServices } from '../runs/attempts/leased-work.ts';
import type { ActionInputs } from './inputs.ts';
import { JobSandbox } from './job-sandbox.ts';
import { registriesWith } from './registries.ts';

interface Job {
  readonly workRoot: string;
  readonly log: AttemptServices['log'];
  /** What must be neither written nor posted, besides the tokens of registries. */
  readonly secrets: readonly string[];
}

/** What all attempts of a job work with. Loaded when the first begins, because it brings the agents' part. */
export function openResources(
  inputs: ActionInputs,
  { workRoot, log, secrets }: Job,
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
