import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { adapters, killOrphans, probeSandbox, secretsIn } from '../agent/index.ts';
import { configPath as usualPath } from '../config/schema.ts';
import type { AttemptServices } from '../runs/attempts/leased-work.ts';
import { LocalEngine } from '../runs/attempts/local-engine.ts';
import { LiveRuns } from '../runs/live-runs.ts';
import { UnknownKeys } from '../runs/restore/unknown-keys.ts';
import { StrangerLimit } from '../runs/stranger-limit.ts';
import { Timers } from '../runs/timers.ts';
import type { ActionInputs } from './inputs.ts';

type Prerequisites = Pick<AttemptServices, 'log' | 'clock'>;

/** The runs of this job, with an engine that works on one attempt at a time. */
export async function assemble(inputs: ActionInputs, { log, clock }: Prerequisites): Promise<LiveRuns> {
  const { data } = inputs;
  const configPath = inputs.configPath ?? usualPath;
  const engine = new LocalEngine(await attemptServices(inputs, { log, clock }), 1);
  const timers = new Timers({ clock, log });
  const secrets = secretsOf(inputs);
  const shared = { presenter: 'action', data, operator: {}, configPath, secrets } as const;
  const limits = { unknownKeys: new UnknownKeys(), strangers: new StrangerLimit() };
  return new LiveRuns({ ...shared, ...limits, engine, timers, clock, log });
}

async function attemptServices(inputs: ActionInputs, prerequisites: Prerequisites): Promise<AttemptServices> {
  const { data, runId, runAttempt, agentEnvironment: environment } = inputs;
  const workRoot = join(data, 'work');
  killOrphans(workRoot);
  const sandbox = await probeSandbox('preferred', { hidden: [data] });
  const job = `actions.${runId}.${runAttempt}.${randomBytes(4).toString('hex')}`;
  const secrets = secretsOf(inputs);
  let count = 0;
  return {
    ...prerequisites,
    nextHolder: () => `${job}.${++count}`,
    resources: (mirror) => {
      // Logged only when an attempt starts: most jobs only record a command and render.
      if (sandbox.note !== null) prerequisites.log.warn(sandbox.note);
      return { mirror, workRoot, sandbox, adapters, secrets, environment };
    },
  };
}

/** What must be neither written nor posted. */
function secretsOf({ token, agentEnvironment }: ActionInputs): readonly string[] {
  return [token, ...secretsIn(agentEnvironment)];
}
