import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { killOrphans } from '../agent/process/registry.ts';
import { configPath as usualPath } from '../config/schema.ts';
import { keyNamesOf, keysOf } from '../network/model/providers.ts';
import type { AttemptServices } from '../runs/attempts/leased-work.ts';
import { LocalEngine } from '../runs/attempts/local-engine.ts';
import { LiveRuns } from '../runs/live-runs.ts';
import { ProgressBoard } from '../runs/progress-board.ts';
import type { RunPlace } from '../runs/services.ts';
import { StrangerLimit } from '../runs/stranger-limit.ts';
import { Timers } from '../runs/timers.ts';
import { isLeased } from '../steering/standing.ts';
import { secretsIn } from '../text/redact.ts';
import type { ActionInputs } from './inputs.ts';

type Prerequisites = Pick<AttemptServices, 'log' | 'clock'>;

/** The runs of this job, with an engine that works on one attempt at a time. */
export function assemble(inputs: ActionInputs, { log, clock }: Prerequisites): LiveRuns {
  const { data } = inputs;
  const configPath = inputs.configPath ?? usualPath;
  const progress = new ProgressBoard();
  const engine = new LocalEngine({ ...attemptServices(inputs, { log, clock }), progress }, 1);
  const timers = new Timers({ clock, log });
  const secrets = secretsOf(inputs);
  const detailsUrl = (run: RunPlace) => logUrl(inputs, run);
  // Where we install the sandbox ourselves, working without it has to be somebody's decision.
  const operator = inputs.hostedLinux ? ({ defaults: { sandbox: 'required' } } as const) : {};
  const { config } = inputs;
  const shared = { presenter: 'action', data, operator, configPath, inputs: config, secrets } as const;
  const modelKeys = keyNamesOf(inputs.providers);
  const limits = { modelKeys, unknownKeys: new Map(), strangers: new StrangerLimit() };
  return new LiveRuns({ ...shared, ...limits, engine, timers, clock, log, progress, detailsUrl });
}

/** The log of the job that works, or else of this one; a job knows the id of its run, not its own. */
function logUrl({ runId, runAttempt }: ActionInputs, { web, state: { standing } }: RunPlace): string {
  const own = { run_id: runId, run_attempt: runAttempt };
  const { run_id, run_attempt } = (isLeased(standing) ? standing.hold.job : undefined) ?? own;
  return `${web}/actions/runs/${run_id}/attempts/${run_attempt}`;
}

function attemptServices(inputs: ActionInputs, prerequisites: Prerequisites): AttemptServices {
  const { data, runId, runAttempt } = inputs;
  const workRoot = join(data, 'work');
  killOrphans(workRoot);
  const job = `actions.${runId}.${runAttempt}.${randomBytes(4).toString('hex')}`;
  const { log } = prerequisites;
  let resources: Promise<AttemptServices['resources']> | undefined;
  let count = 0;
  return {
    ...prerequisites,
    job: { run_id: runId, run_attempt: runAttempt },
    // Whatever people say starts a job of its own.
    hasOthers: () => true,
    nextHolder: () => `${job}.${++count}`,
    resources: async (...work) => {
      resources ??= resourcesOf(inputs, { workRoot, log });
      return (await resources)(...work);
    },
  };
}

async function resourcesOf(
  inputs: ActionInputs,
  job: { readonly workRoot: string; readonly log: AttemptServices['log'] },
): Promise<AttemptServices['resources']> {
  const { openResources } = await import('./job-resources.ts');
  return openResources(inputs, { ...job, secrets: secretsOf(inputs) });
}

/** What must be neither written nor posted. */
function secretsOf({ token, agentEnvironment, providers }: ActionInputs): readonly string[] {
  return [token, ...secretsIn(agentEnvironment), ...keysOf(providers)];
}
