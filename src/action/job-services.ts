import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { killOrphans } from '../agent/process/child-registry.ts';
import { type NotifyTarget, secretsOfTargets } from '../config/operator/targets.ts';
import { configPath as usualPath } from '../config/schema.ts';
import type { AttemptServices } from '../engine/leased-work.ts';
import { LocalEngine } from '../engine/local-engine.ts';
import type { Repository as GitHubRepository } from '../github/events/github-event.ts';
import { type Connection, connect, type Log } from '../github/octokit/connect.ts';
import { GitHubFault } from '../github/octokit/fault.ts';
import { isGraphql } from '../github/octokit/request-hooks.ts';
import { slugOf } from '../github/own.ts';
import { readWorkflowRun } from '../github/read/actions-settings.ts';
import { repositoryOf } from '../github/read/repository-ref.ts';
import { keyNamesOf, keysOf } from '../network/model/providers.ts';
import type { Notifier } from '../notify/target-message.ts';
import { messageOf } from '../repository/faults.ts';
import type { GitHubClock } from '../repository/github-clock.ts';
import { ProgressBoard } from '../repository/progress-board.ts';
import { type Repository, repositoryFrom } from '../repository/repository.ts';
import { StrangerLimit } from '../repository/stranger-limit.ts';
import type { LiveRuns } from '../runs/run/live-runs.ts';
import type { RunPlace } from '../runs/run/services.ts';
import { openRuns } from '../runs/wiring.ts';
import { isLeased, type Job, type Lease } from '../steering/shapes/standing.ts';
import { secretsIn } from '../text/redact.ts';
import type { ActionInputs, JobWork } from './inputs.ts';

type Prerequisites = Pick<AttemptServices, 'log' | 'clock'>;

interface Given extends Prerequisites {
  /** Null if nobody is notified, whatever a configuration says. */
  readonly targets: readonly NotifyTarget[] | null;
  readonly notifier: Notifier | undefined;
}

/** Puts together the runs of this job, with an engine that works on one attempt at a time. */
export function assemble(inputs: ActionInputs, { log, clock, targets, notifier }: Given): LiveRuns {
  const { data } = inputs;
  const configPath = inputs.configPath ?? usualPath;
  const progress = new ProgressBoard();
  const { token, agentEnvironment, providers } = inputs;
  const ofTargets = secretsOfTargets(targets ?? []);
  // What must be neither written nor posted.
  const secrets = [token, ...secretsIn(agentEnvironment), ...keysOf(providers), ...ofTargets];
  const engine = new LocalEngine({ ...attemptServices(inputs, { log, clock, secrets }), progress }, 1);
  const detailsUrl = (run: RunPlace) => logUrl(inputs, run);
  // Where we install the sandbox ourselves, working without it has to be somebody's decision.
  const defaults = inputs.hostedLinux ? ({ sandbox: 'required' } as const) : {};
  const operator = { defaults, bounds: { notify: targets?.map(({ name }) => name) ?? null } };
  const config = inputs.config(targets ?? []);
  const shared = { presenter: 'action', data, operator, configPath, inputs: config, secrets } as const;
  const modelKeys = keyNamesOf(providers);
  const limits = { modelKeys, unknownKeys: new Map(), strangers: new StrangerLimit() };
  const own = { engine, clock, log, progress, notifier };
  return openRuns({ ...shared, ...limits, ...own, detailsUrl });
}

/** The log of the job that works, or else of this one; a job knows the id of its run, not its own. */
function logUrl({ runId, runAttempt }: ActionInputs, { web, state: { standing } }: RunPlace): string {
  const own = { run_id: runId, run_attempt: runAttempt };
  const { run_id, run_attempt } = (isLeased(standing) ? standing.hold.job : undefined) ?? own;
  return `${web}/actions/runs/${run_id}/attempts/${run_attempt}`;
}

function attemptServices(
  inputs: ActionInputs,
  { secrets, ...prerequisites }: Prerequisites & { readonly secrets: readonly string[] },
): AttemptServices {
  const { data, runId, runAttempt } = inputs;
  const workRoot = join(data, 'work');
  killOrphans(workRoot);
  const job = `actions.${runId}.${runAttempt}.${randomBytes(4).toString('hex')}`;
  const { log } = prerequisites;
  let resources: AttemptServices['resources'] | undefined;
  let count = 0;
  return {
    ...prerequisites,
    job: { run_id: runId, run_attempt: runAttempt },
    // A job that waits costs somebody money.
    holdQuestionsMs: 0,
    // Whatever people say starts a job of its own.
    hasOthers: () => true,
    nextHolder: () => `${job}.${++count}`,
    resources: async (...work) => {
      const { openResources } = await import('./job-resources.ts');
      resources ??= openResources(inputs, workRoot, log, secrets);
      return resources(...work);
    },
  };
}

/**
 * Finds out whether the job that holds a lease is gone: its runner was lost, or somebody cancelled it. GitHub
 * knows; without the permission to ask it, such a lease has to expire.
 */
export class LostJobs {
  readonly #repository: Repository;
  readonly #own: Job;
  readonly #log: Log;
  #isTold = false;

  constructor(repository: Repository, own: Job, log: Log) {
    this.#repository = repository;
    this.#own = own;
    this.#log = log;
  }

  /** Never true while that job may still be working. */
  async isGone({ job }: Lease): Promise<boolean> {
    if (job === undefined) return false;
    // A workflow can be run again only after it has ended.
    if (job.run_id === this.#own.run_id) return job.run_attempt < this.#own.run_attempt;
    const found = await this.#read(job);
    return found !== undefined && (found.completed || found.run_attempt > job.run_attempt);
  }

  async #read({ run_id }: Job) {
    try {
      const found = await readWorkflowRun(this.#repository.octokit, this.#repository, run_id);
      if (found === undefined) this.#tellOnce();
      return found;
    } catch (fault) {
      this.#log.warn(`could not look at the workflow run ${run_id}, so its lease stays: ${messageOf(fault)}`);
      return undefined;
    }
  }

  #tellOnce(): void {
    if (this.#isTold) return;
    this.#isTold = true;
    this.#log.warn(
      'GitHub does not say whether the job that works on a run has ended, so its lease has to expire: ' +
        'grant `actions: read` under `permissions:` in the file of the workflow',
    );
  }
}

/** Opens the repository of the workflow with its token. */
export async function openRepository(
  inputs: ActionInputs,
  log: Log,
  clock: GitHubClock,
  work: JobWork,
): Promise<Repository> {
  const { token, data } = inputs;
  const octokit = connectionFor(inputs, log);
  clock.follow(octokit);
  const [repository, login] = await Promise.all([
    repositoryIn(work) ?? repositoryNamed(inputs, octokit),
    ownLogin(octokit),
  ]);
  return repositoryFrom({
    repository,
    octokit,
    token: async () => token,
    own: { login, app: { slug: slugOf(login) } },
    data,
  });
}

/** Most events name their repository, so that it need not be requested from GitHub. */
function repositoryIn(work: JobWork): GitHubRepository | undefined {
  const [first] = work.kind === 'events' ? work.events : [];
  return first !== undefined && 'repository' in first ? first.repository : undefined;
}

/** The runner provides both addresses; one cannot be derived from the other. */
function connectionFor({ token, apiUrl, graphqlUrl }: ActionInputs, log: Log): Connection {
  const octokit = connect({ token, baseUrl: apiUrl, log });
  octokit.hook.before('request', (options) => {
    if (isGraphql(options)) options.url = graphqlUrl;
  });
  return octokit;
}

async function repositoryNamed(inputs: ActionInputs, octokit: Connection) {
  const { data } = await octokit.rest.repos.get(inputs.repository());
  return repositoryOf(data);
}

/** A workflow's own token acts as this login. */
const actionsBot = 'github-actions[bot]';

/** The login of our comments, which is that of the App whose token we have. */
export async function ownLogin(octokit: Connection): Promise<string> {
  try {
    const { viewer } = await octokit.graphql<{ viewer: { login: string } }>('query { viewer { login } }');
    return viewer.login;
  } catch (fault) {
    if (!isRefusal(fault)) throw fault;
    // Installation tokens may not be allowed to ask; a workflow's own token is by far the most likely.
    return actionsBot;
  }
}

/** An outage says nothing about the token: in a wrong name, our own comments would be those of a stranger. */
function isRefusal(fault: unknown): boolean {
  if (!(fault instanceof GitHubFault) || fault.retriable) return false;
  // GraphQL answers 200 also to what it refuses.
  return fault.status === 403 || fault.status === 200;
}
