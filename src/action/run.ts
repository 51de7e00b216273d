import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { adapters, endLeftovers, probeSandbox } from '../agent/index.ts';
import { checkGit } from '../git/check.ts';
import { readActionEvent } from '../github/listen/payloads.ts';
import { type Connection, connect, type Log } from '../github/octokit/connect.ts';
import { repositoryOf } from '../github/read/repositories.ts';
import type { Bench } from '../runs/attempt.ts';
import { GitHubClock } from '../runs/github-clock.ts';
import { takeIn } from '../runs/inbox.ts';
import { Lanes } from '../runs/lanes.ts';
import { LocalEngine } from '../runs/local-engine.ts';
import { repositoryFrom } from '../runs/repository.ts';
import { sweepRepository } from '../runs/sweep.ts';
import { Timers } from '../runs/timers.ts';
import type { Repository } from '../runs/workshop.ts';
import type { State } from '../steering/state.ts';
import type { ActionInputs } from './inputs.ts';
import { ownLogin } from './own-login.ts';

/** One event, from hearing it to the last thing it led to; nothing waits inside the job. */
export async function runAction(inputs: ActionInputs, log: Log): Promise<readonly State[]> {
  await checkGit();
  const clock = new GitHubClock();
  const octokit = connect({ token: inputs.token, baseUrl: inputs.apiUrl, log });
  clock.follow(octokit);
  const engine = await engineFor(inputs, { log, clock });
  const timers = new Timers({ clock, log });
  const { data, configPath } = inputs;
  const lanes = new Lanes({
    presenter: 'action',
    data,
    operator: {},
    configPath,
    engine,
    timers,
    clock,
    log,
  });
  await hearAll(inputs, octokit, lanes);
  do {
    await lanes.settled();
    await engine.idle();
  } while (!lanes.quiet);
  timers.stop();
  const states = lanes.newest();
  await lanes.close();
  return states;
}

async function engineFor(
  inputs: ActionInputs,
  { log, clock }: Pick<Bench, 'log' | 'clock'>,
): Promise<LocalEngine> {
  const workRoot = join(inputs.data, 'work');
  endLeftovers(workRoot);
  const sandbox = await probeSandbox('preferred', { hidden: [] });
  if (sandbox.note !== null) log.warn(sandbox.note);
  const job = `actions.${inputs.runId}.${inputs.runAttempt}.${randomBytes(4).toString('hex')}`;
  let count = 0;
  const nextHolder = () => `${job}.${++count}`;
  const tools: Bench['tools'] = (mirror) => ({
    mirror,
    workRoot,
    sandbox,
    adapters,
    secrets: [inputs.token],
  });
  return new LocalEngine({ log, clock, nextHolder, tools }, 1);
}

async function hearAll(inputs: ActionInputs, octokit: Connection, lanes: Lanes): Promise<void> {
  const heard = readActionEvent(inputs.eventName, inputs.payload, { run_id: inputs.runId });
  const repository = await placeOf(inputs, octokit);
  if (inputs.mode === 'sweep' || heard.some(({ kind }) => kind === 'schedule')) {
    // Whether another job still runs is not ours to know, so holds end when their time is over.
    return sweepRepository(repository, lanes, { isGone: () => false });
  }
  const { overrides, base } = inputs;
  for (const each of heard) await takeIn(each, { repository, lanes, wish: { overrides, base } });
}

async function placeOf({ token, data, owner, repo }: ActionInputs, octokit: Connection): Promise<Repository> {
  const [{ data: facts }, login] = await Promise.all([
    octokit.rest.repos.get({ owner, repo }),
    ownLogin(octokit, token),
  ]);
  const repository = repositoryOf(facts);
  return repositoryFrom({ repository, octokit, token: async () => token, own: { login }, data });
}
