import type { Steer } from '../../src/steering/shapes/people.ts';
import type { Settings } from '../../src/steering/shapes/settings.ts';
import type { Task } from '../../src/steering/shapes/task.ts';
import type { State, SteeringIteration } from '../../src/steering/state/state.ts';

const ada = { login: 'ada', id: 1, role: 'write', bot: false } as const;
const at = '2026-03-01T10:00:00.000Z';
const zero = '0'.repeat(40);

export function settingsOf(changed: Partial<Settings> = {}): Settings {
  return {
    digest: 'd'.repeat(64),
    check: 'Coxswain',
    agent: { use: 'scripted', script: 'script.yml', timeout_s: 20 },
    setup: [],
    verifiers: [],
    approval: {
      mode: 'manual',
      threshold: 0.8,
      required: 1,
      by: [{ role: 'write' }],
      steerer_may_approve: true,
      requester_may_approve: true,
      finish: 'ready',
      merge_method: 'squash',
      apps: [],
    },
    steering: { max_iterations: 5, review_timeout_s: 86_400 },
    attempts: { max: 3 },
    limits: { minutes: 60 },
    labels: { trigger: 'coxswain' },
    sandbox: 'preferred',
    ci: 'at_once',
    network: { setup: ['registries'], agent: ['model'], verifiers: [] },
    ...changed,
  };
}

const task: Task = {
  id: '3',
  title: 'Fix the sum',
  description: 'sum(1, 2) gives 2.',
  acceptance_criteria: ['sum(1, 2) gives 3'],
  repository: 'acme/sums',
  base: 'main',
  component: '',
  kind: 'build',
  worker_profile: '',
  depends_on: [],
};

/** A run whose agent is working, by default in iteration 0. */
export function stateOf(changed: Partial<State> = {}): State {
  return {
    version: 3,
    seq: 2,
    run: {
      id: 'acme/sums#7',
      repository_id: 1,
      owner: 'acme',
      repo: 'sums',
      number: 7,
      branch: 'coxswain/fix-the-sum-1',
      base: 'main',
      head: zero,
      presenter: 'app',
      issue: 3,
      adopted: false,
    },
    task,
    settings: settingsOf(),
    requested_by: ada,
    started_at: at,
    updated_at: at,
    head: zero,
    head_at: at,
    iteration: 0,
    max_iterations: 5,
    attempt: 1,
    attempts_used: 1,
    times_lost: 0,
    standing: { phase: 'queued', work: 'attempt' },
    queue: [],
    iterations: [iterationOf(0)],
    attempts: [],
    shown: null,
    approvals: [],
    report: null,
    interactions: [],
    owed: [],
    ...changed,
  };
}

export function iterationOf(number: number, changed: Partial<SteeringIteration> = {}): SteeringIteration {
  return {
    iteration_number: number,
    prompt: '',
    timestamp: at,
    steers: [],
    files_modified: [],
    output: '',
    head_before: zero,
    head_after: zero,
    attempts: 0,
    score: null,
    verifiers: [],
    cost: {},
    duration_s: 0,
    landed: false,
    ...changed,
  };
}

export function steerOf(author: string, prompt: string): Steer {
  const source = { from: 'comment', comment_id: 1, text_sha256: '', written_at: at } as const;
  return { author, prompt, source };
}
