import type { VerifierOutput } from '../../../src/steering/shapes/attempt-result.ts';
import { scoreOf } from '../../../src/steering/shapes/score.ts';
import type { Interaction, Standing } from '../../../src/steering/shapes/standing.ts';
import type { Evaluation, State, SteeringIteration } from '../../../src/steering/state/state.ts';

export const base = 'b'.repeat(40);
export const head = 'a1b2c3d4'.repeat(5);
export const nextHead = 'e5f6a7b8'.repeat(5);
export const web = 'https://github.com/acme/api';
export const at = '2026-11-21T10:00:00Z';

const run: State['run'] = {
  id: 'acme/api#12',
  repository_id: 77,
  owner: 'acme',
  repo: 'api',
  number: 12,
  branch: 'coxswain/fix-login-1a2b3c',
  base: 'main',
  head: base,
  presenter: 'app',
  issue: 11,
  adopted: false,
};

const task: State['task'] = {
  id: 'issue-11',
  title: 'Fix the login',
  description: 'It fails on Mondays.',
  acceptance_criteria: [],
  repository: 'acme/api',
  base: 'main',
  component: '',
  kind: 'build',
  worker_profile: 'command',
  depends_on: [],
};

const settings: State['settings'] = {
  digest: 'd'.repeat(64),
  check: 'Coxswain',
  agent: { use: 'command', command: ['agent'], timeout_s: 1800 },
  setup: [],
  verifiers: [{ name: 'test', run: 'npm test', timeout_s: 600, required: true }],
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
};

/** A run in its first attempt; tests pass what matters to them. */
export function aState(changed: Partial<State> = {}): State {
  return {
    version: 3,
    seq: 3,
    run,
    task,
    settings,
    requested_by: { login: 'ada', id: 1, role: 'write', bot: false },
    started_at: at,
    updated_at: at,
    head: base,
    head_at: at,
    iteration: 0,
    max_iterations: 5,
    attempt: 1,
    attempts_used: 1,
    times_lost: 0,
    standing: { phase: 'working', hold: { iteration: 0, attempt: 1, holder: 'here', until: at } },
    queue: [],
    iterations: [anIteration({ landed: false, head_after: base })],
    attempts: [],
    shown: null,
    approvals: [],
    report: null,
    interactions: [],
    owed: [],
    ...changed,
  };
}

/** A run that waits for a human to review the agent's work. */
export function awaiting(changed: Partial<State> = {}): State {
  return aState({
    seq: 6,
    head,
    shown: shownAt(head),
    report: { summary: 'The session is renewed on Mondays too.', status: 'done', tool_calls: [] },
    iterations: [anIteration()],
    standing: { phase: 'awaiting_approval', interaction: anInteraction(), deadline: '2026-11-22T10:00:00Z' },
    ...changed,
  });
}

export function anInteraction(changed: Partial<Interaction> = {}): Interaction {
  return { id: 'approval:12:6', kind: 'approval', opened_at: at, head_sha: head, ...changed };
}

export function anIteration(changed: Partial<SteeringIteration> = {}): SteeringIteration {
  return {
    iteration_number: 0,
    prompt: '',
    timestamp: at,
    steers: [],
    files_modified: ['src/login.ts'],
    output: 'The session is renewed on Mondays too.',
    head_before: base,
    head_after: head,
    attempts: 1,
    score: 1,
    verifiers: [{ name: 'test', success: true }],
    cost: {},
    duration_s: 61.4,
    landed: true,
    ...changed,
  };
}

export function steered(
  number: number,
  prompt: string,
  changed: Partial<SteeringIteration> = {},
): SteeringIteration {
  const source = {
    from: 'comment',
    comment_id: number,
    text_sha256: 'f'.repeat(64),
    written_at: at,
  } as const;
  return anIteration({
    iteration_number: number,
    prompt,
    steers: [{ prompt, author: 'ada', source }],
    ...changed,
  });
}

export function shownAt(sha: string, changed: Partial<Evaluation> = {}): Evaluation {
  const verifiers = changed.verifiers ?? [aVerifier()];
  return {
    head_sha: sha,
    at,
    changes: {
      files: [{ path: 'src/login.ts', status: 'modified', additions: 30, deletions: 5 }],
      summary: '1 file changed, +30, -5',
    },
    verifiers,
    gates: [],
    confidence: scoreOf({
      verifiers: { passed: verifiers.filter(({ success }) => success).length, total: verifiers.length },
      reviewer: null,
      retries: 0,
      max_retries: 2,
      destructive: false,
      tool_calls: { succeeded: 2, total: 2 },
      uncertain: false,
    }),
    decision: 'wait',
    ...changed,
  };
}

export function aVerifier(changed: Partial<VerifierOutput> = {}): VerifierOutput {
  const name = changed.name ?? 'test';
  return {
    verifier: `api:${name}`,
    name,
    required: true,
    exit_code: 0,
    stdout: 'ok 14 tests\n',
    stderr: '',
    success: true,
    duration_s: 3.25,
    timed_out: false,
    truncated: false,
    ...changed,
  };
}

export function anApproval(login = 'grace'): State['approvals'][number] {
  return {
    id: 'comment:9@x',
    by: { login, id: 3, role: 'maintain', bot: false },
    at,
    head_sha: head,
    source: { from: 'comment', comment_id: 9, text_sha256: 'f'.repeat(64), written_at: at },
    despite: [],
  };
}

/** One state for each phase. */
export function standingIn(standing: Standing): State {
  return awaiting({ standing });
}

export const hold = { iteration: 0, attempt: 1, holder: 'here', until: 'T' } as const;

/** The first steps of a run, in order. */
export const queued = aState({ seq: 1, attempt: 0, standing: { phase: 'queued', work: 'attempt' } });
export const working = aState({ seq: 2 });
export const verifying = aState({
  seq: 4,
  head,
  standing: { phase: 'verifying', hold, work: 'verify_attempt' },
});
