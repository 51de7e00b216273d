import { describe, expect, test } from 'vitest';
import { isAskingHuman } from '../../src/steering/shapes/standing.ts';
import { runIn } from './phases.ts';
import { ada, automation, bob, rea } from './samples.ts';
import { story } from './story.ts';

/** `/pause`, `/resume`, `/interrupt` and `/extend`. */

const live = [
  'queued',
  'working',
  'verifying',
  'awaiting_approval',
  'awaiting_permission',
  'awaiting_resolution',
] as const;

describe.each(live)('a run that was paused while %s', (phase) => {
  const paused = () => runIn[phase]().says(ada, '/pause look');

  test('waits without a deadline, and goes on where it stood', () => {
    const before = runIn[phase]().state;
    const run = paused();
    expect(run.state.standing).toMatchObject({
      phase: 'paused',
      why: 'asked',
      asked: { by: 'ada', reason: 'look' },
    });
    expect(run.deadline).toBeUndefined();
    run.waits(100).says(bob, '/resume');
    const { standing, attempt, attempts_used } = run.state;
    if (phase === 'working' || phase === 'verifying') {
      expect(standing).toEqual({ phase: 'queued', work: phase === 'working' ? 'attempt' : 'verify_attempt' });
      const used = phase === 'working' ? 0 : before.attempts_used;
      expect([attempt, attempts_used]).toEqual([used, used]);
    } else expect(standing.phase).toBe(phase);
    if (isAskingHuman(standing)) {
      expect(standing.interaction.id).toBe(`${standing.interaction.kind}:7:${run.state.seq}`);
      expect(run.state.interactions.at(-1)).toMatchObject({ how: 'paused', by: 'ada' });
    }
  });

  test('says that it is, lets steers wait, and takes no result', () => {
    const run = runIn[phase]();
    const hold = 'hold' in run.state.standing ? run.hold : { iteration: 0, attempt: 1, holder: 'late' };
    run.says(ada, '/pause');
    expect(run.says(bob, '/pause').refusal).toEqual({ why: 'already_paused', by: 'ada' });
    run.agent.finishes({}, hold);
    expect([run.phase, run.tookCode]).toEqual(['paused', false]);
    run.says(bob, '/steer --now otherwise');
    expect([run.phase, run.state.queue.length]).toEqual(['paused', 1]);
    run.says(ada, '/resume');
    expect(run.phase).toBe('queued');
  });

  test('verifies or begins anew what somebody pushed meanwhile', () => {
    const run = paused().pushes(bob).says(ada, '/resume');
    expect(run.phase).toBe('queued');
    expect(run.state.shown).toBeNull();
    expect(run.state.approvals).toEqual([]);
  });
});

test('evidence that is gone is verified again, although nobody pushed', () => {
  const approvable = story().starts().works();
  const approved = story().starts().works().says(bob, '/approve').confirms();
  for (const run of [approvable, approved]) {
    const { head } = run.state;
    run.says(ada, '/pause').retargets(bob, 'release').says(ada, '/resume');
    expect(run.state).toMatchObject({
      head,
      shown: null,
      standing: { phase: 'queued', work: 'verify_head' },
    });
  }
});

test('an approval that was paused lets nothing be merged, and is checked again afterwards', () => {
  const run = story({ approval: { finish: 'merge' } })
    .starts()
    .works()
    .says(bob, '/approve')
    .confirms();
  run.says(ada, '/pause');
  expect(run.state.standing).toMatchObject({ phase: 'paused', asked: { stood: { approved: true } } });
  expect(run.effects).toContainEqual(expect.objectContaining({ do: 'withdraw', approved: true }));
  expect(run.confirms().phase).toBe('paused');
  run.says(ada, '/resume');
  expect(run.state.standing).toEqual({ phase: 'approved', finish: 'checking' });
  expect(run.effects.filter((effect) => effect.do === 'check_finish')).toHaveLength(2);
  expect(run.confirms().state.standing).toMatchObject({ finish: 'finished' });
});

test('what went on without people waits for them once somebody paused it', () => {
  const approval = { mode: 'auto', new_history: 0, on_timeout: 'proceed', auto_proceed_after_s: 60 } as const;
  const run = story({ approval }).starts().works();
  const { phase } = run;
  expect(['approved', 'awaiting_approval']).toContain(phase);
  run.says(ada, '/pause').says(ada, '/resume');
  expect(run.phase).toBe('awaiting_approval');
  expect(run.state.standing).not.toHaveProperty('proceeds');
});

test('some of the approvals stay if nothing has changed, and the rest is still needed', () => {
  const run = story({ approval: { required: 2 } })
    .starts()
    .works()
    .says(bob, '/approve');
  run.says(ada, '/pause').says(ada, '/resume');
  expect(run.state.approvals.map(({ by }) => by.login)).toEqual(['bob']);
  expect(run.says(ada, '/approve').phase).toBe('approved');
});

test('a branch that is deleted meanwhile is another reason to wait, and an end is an end', () => {
  const run = story().starts().works().says(ada, '/pause').deletesBranch(bob);
  expect(run.state.standing).toEqual({ phase: 'paused', why: 'branch_deleted', resumes_with: 'verify_head' });
  expect(story().starts().works().says(ada, '/pause').merges(bob).phase).toBe('done');
  expect(story().starts().agent.isHeld([automation]).says(ada, '/pause').says(ada, '/reject no').phase).toBe(
    'rejected',
  );
});

test('an interrupt stops the work, costs no attempt, and tells those whose steers come to nothing', () => {
  const run = story().starts().engine.takes().says(bob, '/steer more').says(ada, '/interrupt stop\nnow');
  expect(run.state).toMatchObject({ queue: [], attempts_used: 0, contributors: [{ login: 'ada' }] });
  expect(run.state.standing).toMatchObject({
    phase: 'awaiting_resolution',
    interrupt: { type: 'manual_interrupt', by: 'ada', failure_reason: 'stop\nnow' },
  });
  expect(run.effects).toContainEqual(
    expect.objectContaining({ do: 'reply', to: 'bob', words: { say: 'dropped', by: 'ada' } }),
  );
  expect(run.says(ada, '/retry').state.standing).toEqual({ phase: 'queued', work: 'attempt' });
  const shown = story().starts().works().says(ada, '/interrupt').says(bob, '/approve');
  expect(shown.phase).toBe('approved');
  expect(runIn.verifying().says(rea, '/interrupt').refusal).toMatchObject({ why: 'not_permitted' });
});

test('a run is extended before and at its limit, up to a bound', () => {
  const run = story({ max_iterations: 1 }).starts().works().says(ada, '/steer one').works();
  expect(run.says(ada, '/steer two').refusal).toEqual({ why: 'iterations_used_up', max: 1 });
  run.says(ada, '/extend 3');
  expect(run.replies.at(-1)).toEqual({ say: 'extended', to: 4 });
  expect(run.says(ada, '/steer two').phase).toBe('queued');
  for (let times = 0; times < 5; times++) run.says(ada, '/extend 20');
  expect(run.state.max_iterations).toBe(100);
  expect(run.says(ada, '/extend').refusal).toEqual({ why: 'extended_enough', max: 100 });
  for (const wrong of ['/extend 0', '/extend 21', '/extend many'])
    expect(run.says(ada, wrong).refusal).toMatchObject({ why: 'misspoken', command: 'extend' });
});
