import { describe, expect, test } from 'vitest';
import { deadlines } from '../../src/steering/handlers/deadlines.ts';
import { openInteraction } from '../../src/steering/iterations/interactions.ts';
import { textOfCall } from '../../src/steering/permission/permitted-calls.ts';
import type { LeaseId } from '../../src/steering/shapes/standing.ts';
import { ada, bob, keptRef, removal, sha } from './samples.ts';
import { type Story, story } from './story.ts';

const attempt = { phase: 'queued', work: 'attempt' } as const;

function wondering(): Story {
  return story().starts().agent.wonders('Which language?', ['Python', 'Rust']);
}

describe('an agent that is parked', () => {
  test('uses no attempt, keeps its number, and leaves its work to the next one', () => {
    const run = wondering().agent.parks('question', { cost: { tokens: 5 } });
    expect(run.tookCode).toBe(true);
    expect(run.state).toMatchObject({ attempt: 1, attempts_used: 0, head: sha(0) });
    expect(run.state.parked).toMatchObject({
      ...{ iteration: 0, attempt: 1, because: 'question' },
      work: { head_before: sha(0), kept: keptRef(sha(0xabc)) },
    });
    run.says(ada, '/answer 2').engine.takes();
    expect(run.hold).toMatchObject({ iteration: 0, attempt: 2 });
    expect(run.state.attempts_used).toBe(1);
    run.agent.finishes();
    expect(run.state.parked).toBeUndefined();
  });

  test('goes on at once if everything is answered by then', () => {
    const run = wondering().says(ada, '/answer 1').agent.parks();
    expect(run.state.standing).toEqual(attempt);
    expect(run.state.parked).toBeDefined();
  });

  test('has pushed nothing if it had changed nothing', () => {
    const run = wondering().agent.parks('question', { head: null });
    expect(run.tookCode).toBe(false);
    expect(run.state.parked).toEqual({ iteration: 0, attempt: 1, because: 'question' });
  });

  test('makes way for the steers that waited for its end, which have what it left', () => {
    const run = wondering().says(ada, '/steer otherwise').agent.parks();
    expect(run.state).toMatchObject({ iteration: 1, queue: [], questions: [], standing: attempt });
    expect(run.state.parked).toMatchObject({ iteration: 0, attempt: 1 });
    expect(run.state.interactions).toMatchObject([{ kind: 'question', how: 'steered' }]);
  });

  test('parks as often as it has to', () => {
    const run = story({ attempts: { max: 1 } }).starts();
    for (const n of [1, 2, 3]) run.agent.wonders(`What is ${n}?`).agent.parks().says(ada, '/answer so');
    expect(run.state).toMatchObject({ attempt: 3, attempts_used: 0 });
    expect(run.works().phase).toBe('awaiting_approval');
  });
});

describe('an agent whose model does not answer', () => {
  const failing = (run: Story): Story => run.agent.fails('model_unavailable', 'it is overloaded');

  test('is followed by another attempt only after a while, which is longer each time', () => {
    const run = story({ attempts: { max: 4 } }).starts();
    const pauses = [1, 2, 3].map(() => {
      const failed = run.state.updated_at;
      const { standing } = failing(run).state;
      expect(standing).toMatchObject({ phase: 'paused', why: 'model_unavailable', resumes_with: 'attempt' });
      const [due] = deadlines(run.state);
      const pause = Date.parse(due?.at ?? '') - Date.parse(run.state.updated_at);
      expect(due?.kind).toBe('rate_limit');
      expect(Date.parse(run.state.updated_at)).toBeGreaterThan(Date.parse(failed));
      expect(run.waits(1).state.standing).toEqual(attempt);
      return pause / 1000;
    });
    expect(pauses).toEqual([30, 120, 480]);
    expect(failing(run).state).toMatchObject({
      attempts_used: 4,
      standing: { interrupt: { type: 'task_exceeded_retries', failure_reason: 'it is overloaded' } },
    });
  });

  test('is left alone only for a moment again after something else went wrong', () => {
    const run = failing(failing(story({ attempts: { max: 9 } }).starts()).waits(1)).waits(1);
    failing(run.agent.fails('exit'));
    const { standing, updated_at } = run.state;
    expect(standing).toMatchObject({ until: new Date(Date.parse(updated_at) + 30_000).toISOString() });
  });

  test('goes on from what it had done, at once with /resume or a steer', () => {
    const run = failing(story().starts());
    expect(run.says(ada, '/resume').state).toMatchObject({ standing: attempt, attempts_used: 1 });
    const steered = failing(story().starts()).says(ada, '/steer otherwise').waits(1);
    expect(steered.state).toMatchObject({ iteration: 1, queue: [] });
  });

  test('is asked again when everything that it wanted to know is answered', () => {
    const run = failing(wondering());
    expect(run.phase).toBe('awaiting_answer');
    expect(run.says(ada, '/answer 1').state.standing).toEqual(attempt);
  });
});

describe('an agent that is lost while it asks', () => {
  test('leaves its question to people, and what came before it to the next one', () => {
    const run = wondering().agent.parks().says(ada, '/answer 1').agent.wonders('Which version?');
    run.engine.isLost();
    expect(run.phase).toBe('awaiting_answer');
    expect(run.state).toMatchObject({ attempt: 2, attempts_used: 0, parked: { attempt: 1, work: {} } });
    expect(run.says(ada, '/answer 3').state.standing).toEqual(attempt);
  });

  test('leaves what it was being told to the next iteration', () => {
    const run = story({ agent: { use: 'claude', timeout_s: 60 } })
      .starts()
      .agent.wonders('Why?');
    run.says(ada, '/steer --now otherwise').engine.isLost();
    expect(run.state).toMatchObject({ iteration: 1, questions: [], standing: attempt });
  });
});

describe('what an agent left that people stopped', () => {
  const stopped = (text: string): [Story, LeaseId] => {
    const run = wondering();
    const { hold } = run;
    return [run.says(ada, text), hold];
  };

  test.each([
    ['/pause', 'paused', 0],
    ['/interrupt', 'awaiting_resolution', 0],
    ['/steer --now otherwise', 'queued', 1],
  ])('arrives after %s, and is gone on from', (text, phase, iteration) => {
    const [run, hold] = stopped(text);
    run.agent.parks('stopped', {}, hold);
    expect(run.phase).toBe(phase);
    expect(run.tookCode).toBe(true);
    expect(run.state.parked).toMatchObject({ iteration: 0, attempt: 1, because: 'stopped', work: {} });
    expect(run.state).toMatchObject({ iteration, attempts_used: 0, attempt: iteration === 0 ? 1 : 0 });
  });

  test('is only kept after the end of the run', () => {
    const [run, hold] = stopped('/cancel');
    run.agent.parks('stopped', {}, hold);
    expect(run.state.parked).toBeUndefined();
    expect(run.tookCode).toBe(true);
    expect(run.phase).toBe('cancelled');
  });

  test('changes nothing when it arrives twice', () => {
    const [run, hold] = stopped('/pause');
    run.agent.parks('stopped', {}, hold);
    const { state } = run;
    run.agent.parks('stopped', {}, hold);
    expect(run.state).toMatchObject({ attempt: state.attempt, parked: state.parked });
  });

  test('is not gone on from once another attempt is under way, or has ended', () => {
    const [run, hold] = stopped('/pause');
    run.says(ada, '/answer 1').engine.takes('another');
    run.agent.parks('stopped', {}, hold);
    expect(run.state.parked).toBeUndefined();
    expect(run.hold.holder).toBe('another');
    run.agent.finishes().verifiers.fail('test');
    run.agent.parks('stopped', {}, hold);
    expect(run.state.parked).toBeUndefined();
  });

  test('of an older attempt is not gone on from', () => {
    const [run, hold] = stopped('/pause');
    run.says(ada, '/answer 1').agent.fails().agent.fails();
    expect(run.state.attempt).toBe(2);
    run.agent.parks('stopped', {}, hold);
    expect(run.state.parked).toBeUndefined();
  });

  test('is not what whoever goes back wants', () => {
    const run = story().starts().works().says(ada, '/steer more').engine.takes();
    const { hold } = run;
    run.says(ada, '/undo').agent.parks('stopped', {}, hold);
    expect(run.state.parked).toBeUndefined();
    const parked = story().starts().works().says(ada, '/steer more').agent.wonders('Why?').agent.parks();
    expect(parked.says(ada, '/undo').state.parked).toBeUndefined();
  });
});

describe('a question stays open', () => {
  test('while the run is paused, and its answer lets it go on', () => {
    const run = wondering().says(ada, '/pause');
    expect(run.state.questions).toHaveLength(1);
    expect(run.says(ada, '/answer 1').state.standing).toEqual(attempt);
    const parked = wondering().agent.parks().says(ada, '/pause');
    expect(parked.says(ada, '/answer 1').state.standing).toEqual(attempt);
  });

  test('and is on show again after /resume', () => {
    const run = wondering().says(ada, '/pause').says(ada, '/resume');
    expect(run.phase).toBe('awaiting_answer');
    expect(openInteraction(run.state)?.id).toBe(run.state.questions?.[0]?.interaction.id);
  });

  test('unless somebody steered meanwhile', () => {
    const run = wondering().says(ada, '/pause').says(ada, '/steer otherwise').says(ada, '/resume');
    expect(run.state).toMatchObject({ iteration: 1, questions: [], standing: attempt });
  });

  test('when the branch is pushed to or gets another base, of which the agent hears', () => {
    const run = wondering()
      .agent.parks()
      .pushes(bob, { head: sha(7) })
      .retargets(bob, 'release');
    expect(run.phase).toBe('awaiting_answer');
    expect(run.state.head).toBe(sha(7));
    expect(run.state.parked?.work?.head_before).toBe(sha(0));
    expect(run.says(ada, '/answer 1').state.standing).toEqual(attempt);
  });

  test('when the branch is deleted, until somebody says /resume', () => {
    const run = wondering().agent.parks().deletesBranch(bob);
    expect(run.state.standing).toMatchObject({ phase: 'paused', why: 'branch_deleted' });
    expect(run.says(ada, '/resume').phase).toBe('awaiting_answer');
    const answered = wondering().agent.parks().deletesBranch(bob).says(ada, '/answer 1');
    expect(answered.phase).toBe('paused');
    expect(answered.says(ada, '/resume').state.standing).toEqual(attempt);
  });

  test.each<[string, (run: Story) => Story]>([
    ['while it works', (run) => run],
    ['while it is parked', (run) => run.agent.parks()],
    ['after a timeout', (run) => run.agent.parks().waits(24 * 7)],
  ])('when Coxswain fails %s, also after /retry', (_, comesTo) => {
    const run = comesTo(wondering()).engine.breaks();
    expect(run.phase).toBe('failed');
    expect(run.says(ada, '/retry').phase).toBe('awaiting_answer');
    const answered = comesTo(wondering()).engine.breaks().says(ada, '/answer 1');
    expect(answered.says(ada, '/retry').state.standing).toEqual(attempt);
  });
});

describe('an agent that is stopped before a tool call', () => {
  const waiting = () => story().starts().engine.takes().agent.asks().agent.parks('permission');

  test('waits for people, who see the same question', () => {
    const run = story().starts().engine.takes().agent.asks();
    const open = openInteraction(run.state);
    run.agent.parks('permission');
    expect(run.state.standing).toMatchObject({ phase: 'awaiting_permission', call: removal });
    expect(openInteraction(run.state)).toEqual(open);
  });

  test('may make the call once after /allow, and has to ask for the next', () => {
    const run = waiting().says(bob, '/allow');
    expect(run.state.standing).toEqual(attempt);
    expect(run.state.parked).toMatchObject({ granted: textOfCall(removal), work: {} });
    expect(run.state.interactions).toMatchObject([{ how: 'allowed once', answer: { allowed: true } }]);
    expect(run.engine.takes().state.parked?.granted).toBeDefined();
    run.agent.fails();
    expect(run.state.parked).toMatchObject({ attempt: 1, work: {} });
    expect(run.state.parked).not.toHaveProperty('granted');
  });

  test('has to ask again for what was allowed before somebody pushed', () => {
    expect(waiting().says(bob, '/allow').pushes(ada).state.parked).not.toHaveProperty('granted');
    const run = waiting().says(bob, '/allow').engine.finds(sha(77));
    expect(run.state.head).toBe(sha(77));
    expect(run.state.parked).not.toHaveProperty('granted');
  });

  test('may make the like from then on after /allow always', () => {
    expect(waiting().says(bob, '/allow always').state.allowed_rules).toEqual(['deletes-files']);
  });

  test('goes on without after /deny, with the reason', () => {
    const run = waiting().says(bob, '/deny too risky');
    expect(run.state.standing).toEqual(attempt);
    expect(run.state.parked).not.toHaveProperty('granted');
    const why = 'bob denied it: too risky';
    expect(run.state.interactions).toMatchObject([{ how: 'denied', answer: { allowed: false, why } }]);
  });

  test('is asked about again after a timeout, or a pause', () => {
    const run = waiting().waits(24).pushes(bob);
    expect(run.phase).toBe('timed_out');
    run.says(ada, '/resume');
    expect(run.state.standing).toMatchObject({ phase: 'awaiting_permission', call: removal });
    run.says(ada, '/pause').says(ada, '/resume');
    expect(run.state.standing).toMatchObject({ phase: 'awaiting_permission', call: removal });
    expect(run.says(bob, '/allow').state.standing).toEqual(attempt);
  });

  test('and wanted to know something, waits for both', () => {
    const both = () => wondering().agent.asks().agent.parks('permission');
    const run = both().says(bob, '/allow');
    expect(run.phase).toBe('awaiting_answer');
    expect(run.says(ada, '/answer 1').state.standing).toEqual(attempt);
    const other = both().says(ada, '/answer 1');
    expect(other.phase).toBe('awaiting_permission');
    expect(other.says(bob, '/deny').state.standing).toEqual(attempt);
    expect(both().waits(24).says(ada, '/answer 1').phase).toBe('timed_out');
  });
});

describe('an agent whose model has no more for now', () => {
  const until = '2025-03-03T15:00:00.000Z';
  const limited = () => story().starts().engine.takes().agent.parks('rate_limit', { until });

  test('uses no attempt, and goes on by itself', () => {
    const run = limited();
    expect(run.state.standing).toMatchObject({ phase: 'paused', why: 'rate_limit', until });
    expect(deadlines(run.state)).toEqual([{ kind: 'rate_limit', at: until }]);
    expect(run.state.attempts_used).toBe(0);
    expect(run.waits(4).state).toMatchObject({ standing: attempt, attempt: 1, parked: { attempt: 1 } });
  });

  test('goes on at once with /resume', () => {
    expect(limited().says(ada, '/resume').state.standing).toEqual(attempt);
  });

  test.each<[string, (run: Story) => Story]>([
    ['the model answers again', (run) => run.waits(4)],
    ['somebody says /resume', (run) => run.says(ada, '/resume')],
  ])('begins the next iteration when %s, if somebody steered', (_, goOn) => {
    expect(goOn(limited().says(ada, '/steer otherwise')).state).toMatchObject({ iteration: 1, queue: [] });
  });

  test('may wait five times in an iteration; then people decide', () => {
    const run = story().starts();
    for (const _ of [1, 2, 3, 4, 5]) run.engine.takes().agent.parks('rate_limit', { until }).waits(4);
    expect(run.phase).toBe('queued');
    run.engine.takes().agent.parks('rate_limit', { until });
    expect(run.state.standing).toMatchObject({ interrupt: { type: 'agent_unusable' } });
  });

  test('that has no more for nobody knows how long leaves a steer that waits to the next iteration', () => {
    const run = story().starts().engine.takes().says(ada, '/steer otherwise').agent.parks('rate_limit');
    expect(run.state).toMatchObject({
      standing: { phase: 'queued', work: 'attempt' },
      iteration: 1,
      queue: [],
    });
  });

  test('waits longer with /pause, and no timer lets it go on', () => {
    const run = limited().says(ada, '/pause');
    expect(deadlines(run.state)).toEqual([]);
    expect(run.says(ada, '/resume').state.standing).toEqual(attempt);
  });

  test('does not go on without its branch', () => {
    const run = limited().deletesBranch(bob).waits(4);
    expect(run.state.standing).toMatchObject({ phase: 'paused', why: 'branch_deleted' });
  });

  test('does not wait before a tool call any more, but still for an answer', () => {
    const run = wondering().agent.asks().agent.parks('rate_limit', { until });
    expect(run.state.interactions).toMatchObject([{ kind: 'permission', how: 'the attempt ended' }]);
    expect(run.waits(4).phase).toBe('awaiting_answer');
    const early = wondering().agent.parks('rate_limit', { until }).says(ada, '/answer 1');
    expect(early.phase).toBe('paused');
    expect(early.waits(4).state.standing).toEqual(attempt);
  });
});
