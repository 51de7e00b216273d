import { describe, expect, test } from 'vitest';
import { decide } from '../../src/steering/decide.ts';
import { bob } from './samples.ts';
import { type Story, story } from './story.ts';

const finished = (finish: 'ready' | 'merge' = 'merge') =>
  story({ approval: { finish } }).starts().works().says(bob, '/approve').confirms();

const queued = () => finished().waits(1).apply({ type: 'enqueued', by: 'coxswain[bot]' });

const queueOf = ({ state: { standing } }: Story) =>
  standing.phase === 'approved' ? standing.queue?.is : standing.phase;

describe('an approved run in a merge queue', () => {
  test.each(['ready', 'merge'] as const)(
    'is known to be there, whoever put it there (finish: %s)',
    (finish) => {
      const run = finished(finish).waits(1).apply({ type: 'enqueued', by: 'bob' });
      expect(run.state.standing).toMatchObject({ phase: 'approved', queue: { is: 'in', by: 'bob' } });
      const { seq } = run.state;
      expect(run.waits(1).apply({ type: 'enqueued', by: 'bob' }).state.seq).toBe(seq);
    },
  );

  test('stays approved when a person takes it out, who is told that nobody puts it back', () => {
    const run = queued().waits(1).apply({ type: 'dequeued', by: 'bob', because: 'person' });
    expect(run.state.standing).toMatchObject({ phase: 'approved', queue: { is: 'out', by: 'bob' } });
    expect(run.state.approvals).toHaveLength(1);
    expect(run.replies.at(-1)).toEqual({ say: 'left_queue', by: 'bob' });
    expect(queueOf(run.waits(1).apply({ type: 'enqueued', by: 'bob' }))).toBe('in');
  });

  test.each(['checks', 'timeout', 'conflict', 'rules', 'unknown'] as const)(
    'goes back to people when GitHub takes it out (%s)',
    (because) => {
      const run = queued()
        .waits(1)
        .apply({ type: 'dequeued', by: 'somebody', because, details: ['test failed'] });
      expect(run.state).toMatchObject({ approvals: [], standing: { phase: 'queued', work: 'verify_head' } });
      expect(run.replies.at(-1)).toMatchObject({
        say: 'finish_refused',
        reasons: [expect.stringContaining('GitHub took it out of the merge queue'), 'test failed'],
        approvers: ['bob'],
      });
      run.verifiers.pass().waits(5).says(bob, '/approve').confirms();
      expect(queueOf(run)).toBeUndefined();
      expect(run.effects.at(-1)).toMatchObject({ do: 'merge' });
    },
  );

  test('leaves the queue when its approval falls', () => {
    const run = queued().pushes(bob);
    expect(run.effects).toContainEqual(
      expect.objectContaining({ do: 'withdraw', approved: true, queued: true }),
    );
  });

  test('is not taken out by what happened before it was approved or queued', () => {
    const at = '2020-01-01T00:00:00Z';
    const before = { type: 'dequeued', id: 'dequeued:x', at, by: 'bob', because: 'checks' } as const;
    expect(decide(finished().state, before)).toEqual({ outcome: 'nothing' });
    expect(decide(queued().state, before)).toEqual({ outcome: 'nothing' });
  });
});
