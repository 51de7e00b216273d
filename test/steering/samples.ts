import type { ParkReason } from '../../src/steering/shapes/agent-progress.ts';
import type {
  AskedCall,
  Changes,
  Failure,
  GateHit,
  Report,
  VerifierOutput,
  Work,
} from '../../src/steering/shapes/attempt-result.ts';
import type { Person } from '../../src/steering/shapes/people.ts';
import type { ApprovalSettings, Settings, Stage } from '../../src/steering/shapes/settings.ts';
import type { RunIdentity, Task } from '../../src/steering/shapes/task.ts';
import type { State } from '../../src/steering/state/state.ts';
import type { FinishOptions, Left } from './story-options.ts';

/** People, commits and settings with defaults, so that a story contains only what matters to it. */

export const ada: Person = { login: 'ada', id: 1, role: 'write', bot: false };
export const bob: Person = { login: 'bob', id: 2, role: 'write', bot: false };
export const mia: Person = { login: 'mia', id: 3, role: 'maintain', bot: false };
export const rea: Person = { login: 'rea', id: 4, role: 'read', bot: false };
export const tess: Person = { login: 'tess', id: 6, role: 'triage', bot: false };
export const robot: Person = { login: 'robot[bot]', id: 5, role: 'admin', bot: true };

/** The nth commit of a story. */
export function sha(n: number): string {
  return (0xabc0000 + n).toString(16).padEnd(40, '0');
}

export interface Choices extends Partial<Omit<Settings, 'approval'>> {
  readonly approval?: Partial<ApprovalSettings>;
  readonly max_iterations?: number;
}

export function settingsOf({ approval, max_iterations = 5, ...rest }: Choices = {}): Settings {
  return {
    digest: 'd1',
    check: 'Coxswain',
    agent: { use: 'scripted', script: 'agent.yml', timeout_s: 1800 },
    setup: [],
    verifiers: [
      { name: 'test', run: 'npm test', timeout_s: 600, required: true },
      { name: 'lint', run: 'npm run lint', timeout_s: 600, required: false },
    ],
    approval: { ...defaultApproval, ...approval },
    steering: { max_iterations, review_timeout_s: 24 * 3600 },
    attempts: { max: 3 },
    limits: { minutes: 60 },
    labels: { trigger: 'coxswain' },
    sandbox: 'preferred',
    ci: 'at_once',
    network: { setup: ['registries'], agent: ['model'], verifiers: [] },
    ...rest,
  };
}

const defaultApproval: ApprovalSettings = {
  mode: 'manual',
  threshold: 0.8,
  required: 1,
  by: [{ role: 'write' }],
  steerer_may_approve: true,
  requester_may_approve: true,
  finish: 'ready',
  merge_method: 'squash',
  apps: [],
};

export const task: Task = {
  id: 'acme/service#1',
  title: 'Fix the flaky test',
  description: 'It fails on Mondays.',
  acceptance_criteria: [],
  repository: 'acme/service',
  base: 'main',
  component: '',
  kind: 'build',
  worker_profile: 'scripted',
  depends_on: [],
};

export const run: RunIdentity = {
  id: 'acme/service#7',
  repository_id: 1,
  owner: 'acme',
  repo: 'service',
  number: 7,
  branch: 'coxswain/fix-the-flaky-test-1a2b3c',
  base: 'main',
  head: sha(0),
  presenter: 'app',
  issue: 1,
  adopted: false,
};

/** People approve a plan before the work begins. */
export const planFirst: readonly Stage[] = [{ name: 'plan', approve: true }, { name: 'implement' }];

export const threeStages: readonly Stage[] = [{ name: 'tests' }, { name: 'implement' }, { name: 'docs' }];

export const report: Report = { summary: 'Pinned the clock.', status: 'done', tool_calls: [] };

export const changes: Changes = {
  files: [{ path: 'src/clock.ts', status: 'modified', additions: 3, deletions: 1 }],
  summary: '1 file changed, +3, -1',
};

export const noChanges: Changes = { files: [], summary: 'No changes' };

/** What an agent leaves that has finished; one that plans makes no commit. */
export function finishedWork(head_before: string, newCommit: () => string, done: FinishOptions): Work {
  const {
    changesNothing = false,
    cost = {},
    duration_s = 60,
    blocked: _,
    heard: __,
    ran,
    plan,
    merges,
    ...said
  } = done;
  return {
    head_before,
    head: changesNothing ? head_before : newCommit(),
    report: { ...report, ...said },
    changes: changesNothing ? noChanges : changes,
    ...{ cost, duration_s },
    ...(ran !== undefined && { ran }),
    ...(plan !== undefined && { plan }),
    ...(merges !== undefined && { merges }),
  };
}

export const deletion: GateHit = { rule: 'deletes-files', severity: 'high', evidence: 'src/old.ts' };

export const automation: GateHit = {
  rule: 'changes-automation',
  severity: 'high',
  evidence: '.github/workflows/ci.yml is added',
};

/** A tool call before which people are asked. */
export const removal: AskedCall = {
  id: 'call-1',
  kind: 'execute',
  title: 'rm -rf build',
  command: 'rm -rf build',
  hits: [{ rule: 'deletes-files', severity: 'high', evidence: 'rm -rf build' }],
};

export const secret: GateHit = { rule: 'touches-secrets', severity: 'critical', evidence: '.env is added' };

/** Where held work of the run is kept. */
export function keptRef(head: string): string {
  return `refs/coxswain/kept/7/${head}`;
}

export function failureOf(kind: Failure['kind'], message = `the agent ended: ${kind}`): Failure {
  return { kind, message };
}

/** The results of the configured verifiers; those named in `red` failed. */
export function verifierOutputs(settings: Settings, red: readonly string[] = []): readonly VerifierOutput[] {
  return settings.verifiers.map(({ name, required }) => {
    const success = !red.includes(name);
    return {
      verifier: `service:${name}`,
      name,
      required,
      exit_code: success ? 0 : 1,
      stdout: '',
      stderr: success ? '' : `${name} failed`,
      success,
      duration_s: 2,
      timed_out: false,
      truncated: false,
    };
  });
}

/** What comes with the event of an agent that was stopped. */
export function parkedWork({ head: head_before }: State, because: ParkReason, given: Left) {
  const { head = sha(0xabc), kept = head === null ? null : keptRef(head), cost, until } = given;
  const left = head === null ? null : { head_before, head, kept };
  return { because, left, duration_s: 60, ...(cost && { cost }), ...(until && { until }) };
}
