import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { adapters, probeSandbox } from '../../src/agent/index.ts';
import { LocalEngine } from '../../src/engine/local-engine.ts';
import { connect } from '../../src/github/octokit/connect.ts';
import { createRateLimiter } from '../../src/github/octokit/rate-limiter.ts';
import { repositoryOf } from '../../src/github/read/repository-ref.ts';
import { type Repository, repositoryFrom } from '../../src/repository/repository.ts';
import { StrangerLimit } from '../../src/repository/stranger-limit.ts';
import type { LiveRuns } from '../../src/runs/run/live-runs.ts';
import type { Run } from '../../src/runs/run/run.ts';
import { startRun } from '../../src/runs/start/start.ts';
import { openRuns } from '../../src/runs/wiring.ts';
import { nowMs } from '../measure/clock.ts';
import type { PartHandler } from '../measure/part.ts';

/** One run with its engine, assembled as in the App but without webhooks. */
export interface SingleRunSettings {
  readonly apiUrl: string;
  readonly token: string;
  readonly owner: string;
  /** An empty folder. */
  readonly data: string;
}

export interface SingleRunReady {
  readonly branch: string;
  readonly number: number;
}

/** `steer` is answered with how long it took, in milliseconds. */
export type SingleRunQuestion = 'steer';

const by = { login: 'ada', id: 1, role: 'write', bot: false } as const;

export async function openSingleRun(
  settings: SingleRunSettings,
): Promise<PartHandler<SingleRunReady, SingleRunQuestion, number>> {
  const host = await assemble(settings);
  const run = await begin(host);
  let count = 0;
  return {
    ready: { branch: run.newest?.run.branch ?? '', number: run.number },
    answer: () => steer(host, run, ++count),
    async end() {
      await host.engine.stop();
      await host.liveRuns.close();
    },
  };
}

interface RunHost {
  readonly engine: LocalEngine;
  readonly liveRuns: LiveRuns;
  readonly repository: Repository;
}

async function assemble({ apiUrl, token, owner, data }: SingleRunSettings): Promise<RunHost> {
  const log = { debug: silent, info: silent, warn: printProblem, error: printProblem };
  const clock = { now: () => new Date() };
  // GitHub's limits are not what is measured here.
  const rateLimiter = createRateLimiter({ limits: { burst: 1e6, perMinute: 2e6, perHour: 1e9 } });
  const octokit = connect({ token, baseUrl: apiUrl, log, pace: rateLimiter });
  const sandbox = await probeSandbox('off');
  let holders = 0;
  const engine = new LocalEngine(
    {
      log,
      clock,
      nextHolder: () => `bench.${++holders}`,
      hasOthers: () => false,
      holdQuestionsMs: 0,
      resources: async (mirror) => ({
        mirror,
        workRoot: join(data, 'work'),
        sandbox,
        adapters,
        secrets: [token],
      }),
    },
    1,
  );
  const configPath = '.github/coxswain.yml';
  const liveRuns = openRuns({
    presenter: 'action',
    unknownKeys: new Map(),
    strangers: new StrangerLimit(),
    data,
    operator: {},
    configPath,
    engine,
    clock,
    log,
    secrets: [token],
  });
  const facts = repositoryOf((await octokit.rest.repos.get({ owner, repo: 'widgets' })).data);
  const own = { login: 'github-actions[bot]', app: { slug: 'github-actions' } };
  const repository = repositoryFrom({ repository: facts, octokit, token: async () => token, own, data });
  return { engine, liveRuns, repository };
}

function silent(): void {
  // Only warnings and errors are printed.
}

function printProblem(message: string): void {
  process.stderr.write(`  run: ${message}\n`);
}

/** Iteration 0 is the warm-up: it creates the mirror and loads everything once. */
async function begin({ engine, liveRuns, repository }: RunHost): Promise<Run> {
  const { octokit, owner, name: repo } = repository;
  const { data: issue } = await octokit.rest.issues.get({ owner, repo, issue_number: 1 });
  const started = await startRun({
    request: {
      cause: 'issue:1:run',
      at: new Date().toISOString(),
      by,
      issue: { number: 1, title: issue.title, body: issue.body ?? '', open: true },
      adopt: null,
      text: '',
      source: null,
    },
    runs: liveRuns.in(repository),
    startOptions: {},
  });
  if (started.outcome !== 'started') throw new Error(`could not start: ${JSON.stringify(started)}`);
  await awaitApprovalRequest(started.run, 0);
  await engine.idle();
  await liveRuns.drained();
  return started.run;
}

/** Measures from the receipt of a `/steer` until the ledger asks for approval again. */
async function steer(
  { engine, liveRuns, repository }: RunHost,
  run: Run,
  iteration: number,
): Promise<number> {
  const prompt = 'append a line';
  const comment = await commentOn(repository, run.number, `/steer ${prompt}`);
  const began = nowMs();
  await run.record({
    type: 'said',
    id: `comment:${comment.id}@${comment.updated_at}`,
    at: comment.updated_at,
    command: { type: 'steer', prompt, now: false },
    by,
    source: comment.source,
  });
  await awaitApprovalRequest(run, iteration);
  const ms = nowMs() - began;
  await engine.idle();
  await liveRuns.drained();
  return ms;
}

async function commentOn({ octokit, owner, name: repo }: Repository, issue_number: number, body: string) {
  const { data } = await octokit.rest.issues.createComment({ owner, repo, issue_number, body });
  const text_sha256 = createHash('sha256').update(body).digest('hex');
  const { id, updated_at } = data;
  return {
    id,
    updated_at,
    source: { from: 'comment', comment_id: id, text_sha256, written_at: updated_at } as const,
  };
}

const pollEveryMs = 2;
const timeoutMs = 120_000;

async function awaitApprovalRequest(run: Run, iteration: number): Promise<void> {
  const until = performance.now() + timeoutMs;
  for (;;) {
    const { newest } = run;
    if (newest?.iteration === iteration && newest.standing.phase === 'awaiting_approval') return;
    if (performance.now() > until)
      throw new Error(`the run is ${newest?.standing.phase}, iteration ${newest?.iteration}`);
    await setTimeout(pollEveryMs);
  }
}
