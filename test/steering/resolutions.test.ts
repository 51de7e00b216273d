import { describe, expect, test } from 'vitest';
import { ada, bob, deletion, mia, sha } from './samples.ts';
import { story } from './story.ts';

describe('attempts', () => {
  test('that fail verification are retried while the budget lasts, then a human is asked', () => {
    const run = story().starts().agent.finishes().verifiers.fail('test');
    expect(run.state).toMatchObject({
      attempt: 1,
      attempts_used: 1,
      standing: { phase: 'queued', work: 'attempt' },
    });
    run.agent.finishes().verifiers.fail('test').agent.finishes().verifiers.fail('test');
    expect(run.state.standing).toMatchObject({
      phase: 'awaiting_resolution',
      interaction: { kind: 'interrupt', head_sha: sha(3) },
      interrupt: {
        type: 'task_exceeded_retries',
        retry_count: 2,
        failure_reason: 'test still failing after 3 of 3 attempts',
      },
    });
    expect(run.state.attempts.map(({ attempt, outcome }) => [attempt, outcome])).toEqual([
      [1, 'red'],
      [2, 'red'],
      [3, 'red'],
    ]);
  });

  test('that failed lower the confidence of the one that passes', () => {
    const run = story().starts().agent.finishes().verifiers.fail('test').works();
    expect(run.state.shown?.confidence.components).toContainEqual(
      expect.objectContaining({ name: 'no_retries', value: 0.5 }),
    );
  });

  test('are not started by a failing verifier that is not required', () => {
    const run = story().starts().agent.finishes().verifiers.fail('lint');
    expect(run.phase).toBe('awaiting_approval');
    expect(run.state.shown?.confidence).toMatchObject({ score: 0.785714, band: 'medium' });
  });

  test.each(['exit', 'timeout', 'crash', 'setup'] as const)('that end with %s are retried', (kind) => {
    const run = story().starts().agent.fails(kind);
    expect(run.state).toMatchObject({
      head: sha(0),
      attempts_used: 1,
      standing: { phase: 'queued', work: 'attempt' },
    });
  });

  test.each(['cannot', 'incoherent_report', 'not_found', 'sandbox', 'push_refused'] as const)(
    'that end with %s ask a human at once',
    (kind) => {
      const run = story().starts().agent.fails(kind, 'the words of the failure');
      expect(run.state.standing).toMatchObject({
        phase: 'awaiting_resolution',
        interrupt: { type: 'zero_confidence', failure_reason: 'the words of the failure' },
      });
    },
  );

  test('that the agent itself gives up never reach the branch', () => {
    const run = story().starts().agent.finishes({ status: 'cannot', summary: 'No such file.' });
    expect(run.tookCode).toBe(false);
    expect(run.state.head).toBe(sha(0));
    expect(run.state.standing).toMatchObject({ interrupt: { failure_reason: 'No such file.' } });
  });

  test('that pass but are uncertain wait with low confidence', () => {
    const run = story({ approval: { mode: 'auto' } })
      .starts()
      .works({ status: 'uncertain' });
    expect(run.state.shown).toMatchObject({ confidence: { score: 0.49, band: 'low' }, decision: 'wait' });
    expect(run.phase).toBe('awaiting_approval');
  });

  test('that are uncertain stay so when their commit is forced away and put back', () => {
    const run = story().starts().works({ status: 'uncertain' });
    const { head } = run.state;
    run.pushes(bob, { forced: true }).verifiers.pass();
    expect(run.state.shown?.confidence.score).toBeGreaterThan(0.49);
    run.pushes(bob, { forced: true, head }).verifiers.pass();
    expect(run.state.shown).toMatchObject({ head_sha: head, confidence: { score: 0.49, band: 'low' } });
  });

  test('that are uncertain stay so when their branch is forced back over what an agent did after them', () => {
    const run = story().starts().works({ status: 'uncertain' });
    const { head } = run.state;
    run.says(ada, '/steer more').works().says(ada, '/steer even more').works();
    expect(run.state.shown?.confidence.score).toBeGreaterThan(0.49);
    run.pushes(bob, { forced: true, head }).verifiers.pass();
    expect(run.state.shown).toMatchObject({ head_sha: head, confidence: { score: 0.49, band: 'low' } });
  });

  test('whose verifiers could not run count as failed', () => {
    const run = story().starts().agent.finishes().agent.fails('setup', 'npm ci failed');
    expect(run.state).toMatchObject({
      head: sha(1),
      attempts_used: 1,
      standing: { phase: 'queued', work: 'attempt' },
    });
    expect(run.state.attempts).toMatchObject([{ outcome: 'failed', head: sha(1), summary: 'npm ci failed' }]);
  });

  test('keep their numbers after a retry; only the budget is renewed', () => {
    const run = story({ attempts: { max: 1 } })
      .starts()
      .agent.finishes()
      .verifiers.fail('test')
      .says(ada, '/retry');
    expect(run.state).toMatchObject({ attempt: 1, attempts_used: 0 });
    run.agent.finishes().verifiers.pass();
    expect(run.state).toMatchObject({ iteration: 0, attempt: 2, attempts_used: 1 });
    expect(run.state.iterations).toMatchObject([{ attempts: 2, landed: true }]);
  });
});

describe('an interrupt', () => {
  const failedSteer = () => {
    const run = story().starts().works().says(ada, '/steer more');
    return run.agent.fails().agent.fails().agent.fails('exit', 'out of memory');
  };

  test('after a failed steer keeps the last good head and its evaluation', () => {
    const run = failedSteer();
    expect(run.state).toMatchObject({ head: sha(1), shown: { head_sha: sha(1) }, iteration: 1 });
    expect(run.state.iterations[1]).toMatchObject({
      prompt: 'more',
      head_before: sha(1),
      head_after: sha(1),
      attempts: 3,
      landed: true,
    });
  });

  test('after a failed steer lets a human approve that head', () => {
    const run = failedSteer().says(bob, '/approve').confirms();
    expect(run.state.approvals).toMatchObject([{ head_sha: sha(1) }]);
    expect(run.state.standing).toEqual({ phase: 'approved', finish: 'finished' });
  });

  test('without a commit under review cannot be approved', () => {
    const run = story({ attempts: { max: 1 } })
      .starts()
      .agent.fails()
      .says(mia, '/approve');
    expect(run.refusal).toEqual({ why: 'nothing_to_approve', phase: 'awaiting_resolution' });
  });

  test('can be steered, retried, verified, rejected and cancelled', () => {
    expect(failedSteer().says(ada, '/steer otherwise').state).toMatchObject({
      iteration: 2,
      attempts_used: 0,
    });
    expect(failedSteer().says(ada, '/retry').state).toMatchObject({ iteration: 1, attempts_used: 0 });
    expect(failedSteer().says(ada, '/verify').verifiers.pass().phase).toBe('awaiting_approval');
    expect(failedSteer().says(ada, '/reject no').phase).toBe('rejected');
    expect(failedSteer().says(ada, '/cancel').phase).toBe('cancelled');
  });

  test('is settled by the first answer; the second meets another question', () => {
    const run = failedSteer();
    const interaction =
      run.state.standing.phase === 'awaiting_resolution' ? run.state.standing.interaction.id : '';
    run.clicks(ada, 'retry');
    expect(run.state.interactions.at(-1)).toMatchObject({ id: interaction, by: 'ada', how: 'retried' });
    run.clicks(bob, 'retry', { interaction });
    const end = { by: 'ada', how: 'retried', at: expect.any(String) };
    expect(run.refusal).toEqual({ why: 'already_resolved', ...end, phase: 'queued' });
  });

  test('is settled by someone’s own fix that passes', () => {
    expect(failedSteer().pushes(bob).verifiers.pass().phase).toBe('awaiting_approval');
  });

  test('is raised again when someone’s own fix fails: no attempt is started', () => {
    const run = failedSteer().pushes(bob).verifiers.fail('test');
    expect(run.state.standing).toMatchObject({ interrupt: { failure_reason: 'test failing on abc0002' } });
  });

  test('is raised by zero confidence even though nothing failed', () => {
    const run = story({ verifiers: [], attempts: { max: 2 } })
      .starts()
      .agent.fails();
    run.agent.finishes({ tool_calls: [{ kind: 'execute', title: 'rm', outcome: 'unknown' }] });
    run.verifiers.pass([deletion]);
    expect(run.state.standing).toMatchObject({
      phase: 'awaiting_resolution',
      interrupt: { type: 'zero_confidence', failure_reason: 'confidence is zero (0)' },
    });
    expect(run.says(bob, '/approve').phase).toBe('approved');
  });
});

describe('a commit under review', () => {
  test('shows triggered gates, and waits whatever the score', () => {
    const run = story({ approval: { mode: 'auto' } })
      .starts()
      .agent.finishes()
      .verifiers.pass([deletion]);
    expect(run.state.shown).toMatchObject({ gates: [deletion], decision: 'wait' });
    expect(run.state.shown?.confidence.components).toContainEqual(
      expect.objectContaining({ name: 'not_destructive', value: 0 }),
    );
  });

  test('is not destructive because of a gate that destroys nothing', () => {
    const gate = {
      rule: 'changes-automation',
      severity: 'high',
      evidence: '.github/workflows/ci.yml',
    } as const;
    const run = story().starts().agent.finishes().verifiers.pass([gate]);
    expect(run.state.shown?.confidence.score).toBe(1);
  });

  test('without any verifier is unverified and waits', () => {
    const run = story({ verifiers: [], approval: { mode: 'auto' } })
      .starts()
      .works();
    expect(run.state.shown).toMatchObject({
      confidence: { score: 0.79, unverified: true },
      decision: 'wait',
    });
  });

  test('counts tool calls that succeeded, not those denied', () => {
    const call = (outcome: 'ok' | 'failed' | 'denied' | 'unknown') => ({
      kind: 'execute',
      title: 't',
      outcome,
    });
    const run = story()
      .starts()
      .works({ tool_calls: [call('ok'), call('unknown'), call('denied'), call('denied')] });
    expect(run.state.shown?.confidence.components).toContainEqual(
      expect.objectContaining({
        name: 'tool_calls',
        value: 0.5,
        evidence: '1 of 2 tool calls succeeded, not counting 2 denied',
      }),
    );
  });
});
