import { describe, expect, test } from 'vitest';
import { viewOf } from '../../../src/github/show/view.ts';
import { table } from '../../../src/steering/phases/table.ts';
import type { Standing } from '../../../src/steering/shapes/standing.ts';
import type { State } from '../../../src/steering/state/state.ts';
import {
  anApproval,
  anInteraction,
  aState,
  aVerifier,
  awaiting,
  head,
  shownAt,
  standingIn,
  web,
} from './state.ts';

const hold = { iteration: 0, attempt: 1, holder: 'h', until: 'T' };
const interaction = anInteraction();
const interrupt = { type: 'zero_confidence', retry_count: 0, failure_reason: 'cannot' } as const;
const work = {
  ...{ head_before: head, head: 'c0ffee'.padEnd(40, '0'), cost: {}, duration_s: 1 },
  report: { summary: 'Added a workflow', status: 'done', tool_calls: [] },
  changes: { files: [], summary: '1 file changed, +1, -0' },
} as const;
const hits = [{ rule: 'changes-automation', severity: 'high', evidence: 'ci.yml is added' }] as const;
const held = { work, hits, kept: null, held_at: 'T' };
const call = { id: 'c', kind: 'execute', title: 'Remove the build', command: 'rm -rf build', hits };
const questions = [
  {
    interaction: { ...interaction, id: 'question:12:7', kind: 'question', of: { iteration: 0, attempt: 1 } },
    asked: {
      id: 'q',
      question: 'Which language?',
      options: ['Python', '👩‍💻 Whatever is there, a very long one', 'c'.repeat(200), 'fourth'],
    },
    on_timeout: 'block',
  },
] as const;
const waiting = { phase: 'awaiting_approval', interaction, deadline: 'T' } as const;

const on = [
  { number: 4, is: 'ready' },
  { number: 5, is: 'open' },
] as const;
const spawning = {
  by: { login: 'ada', id: 1, role: 'write', bot: false },
  cause: 'comment:1@T',
  tasks: [{ name: 'task-1', description: 'Only the parser' }],
} as const;
const replaced_by = { cause: 'comment:1@T', made: [{ name: 'task-1', number: 13 }] };

const states: readonly State[] = (
  [
    { phase: 'blocked', on },
    { phase: 'queued', work: 'attempt' },
    { phase: 'working', hold },
    { phase: 'verifying', hold, work: 'verify_attempt' },
    waiting,
    { phase: 'awaiting_answer', interaction, deadline: 'T' },
    { phase: 'awaiting_stage', interaction, deadline: 'T' },
    { phase: 'awaiting_permission', interaction, held, deadline: 'T' },
    { phase: 'awaiting_permission', interaction, call, deadline: 'T' },
    { phase: 'awaiting_resolution', interaction, interrupt, deadline: 'T' },
    { phase: 'awaiting_resolution', interaction, interrupt, deadline: 'T', spawning },
    { phase: 'paused', why: 'branch_deleted', resumes_with: 'attempt' },
    { phase: 'paused', why: 'reopened', resumes_with: 'attempt' },
    { phase: 'paused', why: 'rate_limit', resumes_with: 'attempt', until: 'T' },
    { phase: 'approved', finish: 'checking' },
    { phase: 'approved', finish: 'finished' },
    { phase: 'done', merged: true },
    { phase: 'rejected', by: 'ada', reason: 'no' },
    { phase: 'cancelled', by: 'ada', reason: 'cancelled' },
    { phase: 'abandoned', by: 'ada', reason: '' },
    { phase: 'abandoned', by: 'ada', reason: 'replaced by #13', replaced_by },
    { phase: 'timed_out', before: waiting },
    { phase: 'failed', reference: 'r-1', what: 'disk full', resumes_with: 'attempt' },
  ] satisfies readonly Standing[]
).map((standing) =>
  standing.phase === 'awaiting_answer'
    ? { ...standingIn(standing), questions }
    : standing.phase === 'awaiting_stage'
      ? planned(standingIn(standing))
      : standingIn(standing),
);

function planned(state: State): State {
  const stages = [{ name: 'plan', approve: true }, { name: 'implement' }] as const;
  return { ...state, stage: 'plan', settings: { ...state.settings, stages } };
}

describe('how the pull request looks in each phase', () => {
  test('draft, label, check and buttons', () => {
    const rows = states.map((state) => {
      const { pull, labels, checks, ask } = viewOf(state, web);
      const [main] = checks;
      const buttons = main?.actions.map(({ label }) => label).join(', ');
      const check = `${main?.result}: ${main?.title}`;
      return [labels[1], pull, check, buttons, ask ? 'asks' : ''].filter((cell) => cell !== '').join(' | ');
    });
    expect(rows.join('\n')).toMatchInlineSnapshot(`
      "coxswain:blocked | draft | in_progress: Waiting for #5 | Cancel
      coxswain:queued | draft | in_progress: Iteration 0 is in progress | Cancel
      coxswain:working | draft | in_progress: Iteration 0 is in progress | Cancel
      coxswain:verifying | draft | in_progress: Iteration 0 is in progress | Cancel
      coxswain:awaiting_approval | draft | action_required: Waiting for approval: confidence 1.00, high | Approve, Reject, Try again | asks
      coxswain:awaiting_answer | draft | action_required: The agent asks: Which language? | 1 Python, 2 👩‍💻 Whatever is…, 3 ccccccccccccccccc… | asks
      coxswain:awaiting_stage | draft | action_required: A plan waits for approval | Approve, Reject | asks
      coxswain:awaiting_permission | draft | action_required: Waiting for permission to push | Allow once, Always, Deny | asks
      coxswain:awaiting_permission | draft | action_required: Waiting for permission: rm -rf build | Allow once, Always, Deny | asks
      coxswain:awaiting_resolution | draft | action_required: Task Requires Human Review | Retry, New task, Abandon | asks
      coxswain:awaiting_resolution | draft | action_required: New tasks are being started | asks
      coxswain:paused | untouched | action_required: Paused
      coxswain:paused | draft | action_required: Paused
      coxswain:paused | draft | action_required: Waiting for the model until T
      coxswain:approved | draft | in_progress: Approved by ; running the final check
      coxswain:approved | ready | success: Approved by 
      coxswain:done | untouched | cancelled: Merged
      coxswain:rejected | untouched | failure: Rejected by ada
      coxswain:cancelled | untouched | cancelled: Cancelled by ada
      coxswain:abandoned | untouched | cancelled: Abandoned by ada
      coxswain:abandoned | untouched | cancelled: Replaced by #13
      coxswain:timed_out | draft | timed_out: Timed out waiting for a human
      coxswain:failed | draft | failure: Stopped by an internal error in Coxswain | Retry"
    `);
  });

  test('every phase is in this table', () => {
    expect(new Set(states.map(({ standing }) => standing.phase))).toEqual(new Set(Object.keys(table)));
  });

  test('only approved work satisfies a rule that requires the check', () => {
    const satisfying = states.filter((state) => {
      const result = viewOf(state, web).checks[0]?.result ?? '';
      return ['success', 'neutral', 'skipped'].includes(result);
    });
    expect(satisfying.map(({ standing }) => standing)).toEqual([{ phase: 'approved', finish: 'finished' }]);
    expect(
      viewOf(awaiting({ standing: { phase: 'done', merged: true }, approvals: [anApproval()] }), web)
        .checks[0]?.result,
    ).toBe('success');
  });

  test('buttons respect GitHub’s limits and are only shown by an App', () => {
    for (const state of states) {
      const actions = viewOf(state, web).checks[0]?.actions ?? [];
      expect(actions.length).toBeLessThanOrEqual(3);
      for (const { label, description, identifier } of actions) {
        expect(label.length, label).toBeLessThanOrEqual(20);
        expect(description.length, description).toBeLessThanOrEqual(40);
        expect(identifier.length, identifier).toBeLessThanOrEqual(20);
      }
      const byAction = { ...state, run: { ...state.run, presenter: 'action' as const } };
      expect(viewOf(byAction, web).checks[0]?.actions).toEqual([]);
    }
  });
});

describe('check runs', () => {
  test('the decision belongs to the head, and its id is that of the open interaction', () => {
    expect(viewOf(awaiting(), web).checks[0]).toMatchObject({
      name: 'Coxswain',
      head_sha: head,
      external_id: 'approval:12:6',
    });
    expect(viewOf(aState(), web).checks[0]).toMatchObject({ external_id: 'work:12:0' });
  });

  test('the decision of a run that stopped has an id of its own each time, for its button', () => {
    const stopped = {
      phase: 'failed',
      reference: 'r-1',
      what: 'disk full',
      resumes_with: 'attempt',
    } as const;
    expect([undefined, 8, 11].map((seq) => decisionIdOf({ ...stopped, ...(seq && { seq }) }))).toEqual([
      'work:12:0',
      'failed:12:8',
      'failed:12:11',
    ]);
  });

  test('each verifier has one, with annotations of its findings', () => {
    const verifiers = [
      aVerifier({
        name: 'lint',
        success: false,
        exit_code: 1,
        required: false,
        stdout: 'src/login.ts:7:3: no-var\n',
      }),
      aVerifier({ name: 'slow', success: false, timed_out: true, exit_code: -1 }),
      aVerifier(),
    ];
    const { checks } = viewOf(awaiting({ shown: shownAt(head, { verifiers }) }), web);
    expect(
      checks
        .slice(1)
        .map(({ name, result, title, annotations }) => [name, result, title, annotations.length]),
    ).toEqual([
      ['Coxswain / lint', 'failure', 'Failed (exit code 1), not required', 1],
      ['Coxswain / slow', 'timed_out', 'Timed out', 0],
      ['Coxswain / test', 'success', 'Passed', 0],
    ]);
  });
});

function decisionIdOf(standing: Standing): string | undefined {
  return viewOf(aState({ standing }), web).checks[0]?.external_id;
}
