import { describe, expect, test } from 'vitest';
import { proceedingReasons } from '../../src/steering/approval/waiting-reasons.ts';
import { openConcerns, reviewed } from '../../src/steering/confidence/evaluation.ts';
import { possibleIn } from '../../src/steering/phases/table.ts';
import type { FoundReview } from '../../src/steering/shapes/attempt-result.ts';
import { ada, bob, type Choices, deletion } from './samples.ts';
import { type Story, story } from './story.ts';

const reviewer = { agent: { use: 'codex', timeout_s: 60 } } as const;

function found(changed: Partial<FoundReview> = {}): FoundReview {
  return { by: 'codex', confidence: 0.9, concerns: [], resolved: [], withdrawn: [], touched: [], ...changed };
}

const grave = { file: 'src/clock.ts', line: 3, severity: 'high', text: 'It drops the zone.' } as const;
const mild = { file: 'src/clock.ts', line: 9, severity: 'low', text: 'A typo.' } as const;

function judged(review: FoundReview | undefined, choices: Choices = {}): Story {
  const run = story({ review: reviewer, ...choices })
    .starts()
    .agent.finishes();
  return run.verifiers.find({ merged_runs: 9, ...(review && { review }) });
}

const auto: Choices = { approval: { mode: 'auto', new_history: 0 } };

function reasons(run: Story): string {
  const { proceeding } = run.state.shown ?? {};
  return proceeding === undefined ? '' : proceedingReasons(proceeding).join('; ');
}

describe('a second opinion', () => {
  test('is a component of the score of its head, beside the score without it', () => {
    const { shown, review } = judged(found({ confidence: 0.5 })).state;
    expect(shown?.confidence.components.map(({ name }) => name)).toContain('reviewer');
    expect(shown?.confidence.score).toBeCloseTo(0.85, 6);
    expect(shown?.without_review?.score).toBe(1);
    expect(review).toMatchObject({ head: shown?.head_sha, confidence: 0.5 });
  });

  test('that is sure lets a policy go on that would go on without it', () => {
    expect(judged(found(), auto).phase).toBe('approved');
  });

  test('that is not sure keeps a policy from going on, be it never so sure without it', () => {
    const run = judged(found({ confidence: 0 }), auto);
    expect(run.phase).toBe('awaiting_approval');
    expect(run.state.standing).toHaveProperty('proceeds');
  });

  test('makes no policy go on that would not without it: a change can talk to its reviewer', () => {
    const rules: Choices = {
      approval: { mode: 'confidence_threshold', threshold: 0.8, new_history: 0 },
      attempts: { max: 2 },
    };
    const run = story({ review: reviewer, ...rules })
      .starts()
      .agent.fails()
      .agent.finishes();
    run.verifiers.find({ merged_runs: 9, review: found({ confidence: 1 }) });
    expect(run.state.shown?.confidence.score).toBeGreaterThan(0.79);
    expect(run.state.shown?.without_review?.score).toBeLessThan(0.8);
    expect(run.phase).toBe('awaiting_approval');
  });

  test('that is wanted and does not count leaves the commit to people, and says so', () => {
    const run = judged(found({ confidence: null, problem: 'it said nothing' }), auto);
    expect([run.phase, reasons(run)]).toEqual([
      'awaiting_approval',
      'there is no second opinion on this commit',
    ]);
    expect(run.state.shown?.without_review).toBeUndefined();
  });

  test('a grave concern waits for people in every mode, a mild one does not', () => {
    const run = judged(found({ concerns: [mild, grave] }), auto);
    expect([run.phase, reasons(run)]).toEqual([
      'awaiting_approval',
      'the second opinion has grave concerns: c2',
    ]);
    expect(run.state.standing).not.toHaveProperty('proceeds');
    expect(judged(found({ concerns: [mild] }), auto).phase).toBe('approved');
  });

  test('on a part of the change leaves it to people', () => {
    const run = judged(found({ partial: true }), auto);
    expect([run.phase, reasons(run)]).toEqual([
      'awaiting_approval',
      'the change is too large for all of it to be shown to its reviewer',
    ]);
  });

  test('is of one head: the next one needs another, and a verification of the same does not', () => {
    const run = judged(found());
    run.says(ada, '/verify');
    run.verifiers.find({ merged_runs: 9 });
    expect(run.state.shown?.without_review).toBeDefined();
    run.says(ada, '/steer more').agent.finishes();
    run.verifiers.find({ merged_runs: 9 });
    expect(run.state.shown?.without_review).toBeUndefined();
  });

  test('is about the difference from one base: for another, the same commit needs another', () => {
    const run = judged(found(), auto);
    expect(run.phase).toBe('approved');
    run.retargets(bob, 'next');
    expect(run.state.review?.head).toBeNull();
    run.verifiers.find({ merged_runs: 9 });
    expect(reasons(run)).toContain('there is no second opinion on this commit');
  });

  test('counts what it costs', () => {
    expect(judged(found({ cost: { usd: 0.5 } })).state.iterations.at(-1)?.cost).toEqual({ usd: 0.5 });
  });

  test('counts for nothing where the configuration wants none any more', () => {
    const run = story().starts().agent.finishes();
    run.verifiers.find({ merged_runs: 9, review: found({ confidence: 0 }) });
    expect(run.state.shown?.confidence.score).toBe(1);
  });

  test('goes beside the gates, which stand whatever it says', () => {
    const run = story({ review: reviewer, ...auto })
      .starts()
      .agent.finishes();
    run.verifiers.find({ merged_runs: 9, review: found({ confidence: 1 }), gates: [deletion] });
    expect(run.phase).toBe('awaiting_approval');
  });
});

test('a policy approves no work of a last stage that people approve', () => {
  const stages = [{ name: 'implement', approve: true }] as const;
  const run = story({ ...auto, stages })
    .starts()
    .agent.finishes();
  run.verifiers.find({ merged_runs: 9 });
  expect([run.phase, reasons(run)]).toEqual([
    'awaiting_approval',
    'the configuration requires people to approve',
  ]);
});

describe('concerns', () => {
  const first = reviewed(undefined, 'a', found({ concerns: [mild, grave] }));

  test('keep their ids, and those that nobody mentions stay open', () => {
    const next = reviewed(first, 'b', found({ concerns: [{ ...mild, text: 'Another.' }] }));
    expect(openConcerns(next).map(({ id, text }) => [id, text])).toEqual([
      ['c2', grave.text],
      ['c1', mild.text],
      ['c3', 'Another.'],
    ]);
  });

  test('are resolved or withdrawn by their reviewer, and its next ones are others, however it numbers them', () => {
    const next = reviewed(first, 'b', found({ resolved: ['c1'], withdrawn: ['c2', 'c9'] }));
    expect(next.concerns.map(({ state }) => state)).toEqual(['resolved', 'withdrawn']);
    const again = reviewed(next, 'c', found({ concerns: [{ ...grave, id: 'c1', text: 'Another.' }] }));
    expect(again.concerns.map(({ id, state }) => [id, state])).toEqual([
      ['c1', 'resolved'],
      ['c2', 'withdrawn'],
      ['c3', 'open'],
    ]);
    expect(again.concerns[2]).toMatchObject({ severity: 'high', text: 'Another.' });
  });

  test('stay open where their reviewer settles them and names them again', () => {
    const next = reviewed(first, 'b', found({ resolved: ['c2'], concerns: [{ ...grave, id: 'c2' }] }));
    expect(openConcerns(next).map(({ id, severity }) => [id, severity])).toEqual([
      ['c2', 'high'],
      ['c1', 'low'],
    ]);
  });

  test('rise in severity only where their lines have changed', () => {
    const worse = found({ concerns: [{ ...mild, id: 'c1', severity: 'high' }] });
    expect(reviewed(first, 'b', worse).concerns[0]).toMatchObject({ id: 'c1', severity: 'low' });
    expect(reviewed(first, 'b', { ...worse, touched: ['c1'] }).concerns[0]?.severity).toBe('high');
    const milder = found({ concerns: [{ ...grave, id: 'c2', severity: 'low' }] });
    expect(reviewed(first, 'b', milder).concerns[1]?.severity).toBe('low');
  });

  test('stay as they are where no opinion counts', () => {
    const next = reviewed(first, 'b', found({ confidence: null, problem: 'garbage', resolved: ['c1'] }));
    expect(next.concerns).toEqual(first.concerns);
  });

  test('keep to their lines when what is before them grows, also where no opinion counts', () => {
    for (const confidence of [0.9, null]) {
      const next = reviewed(first, 'b', found({ confidence, lines: { c1: 12, c9: 1 } }));
      expect(next.concerns.map(({ id, line }) => [id, line])).toEqual([
        ['c1', 12],
        ['c2', 3],
      ]);
    }
  });

  test('of hundreds, all that are open are kept, and the newest of the others', () => {
    const many = Array.from({ length: 300 }, (_, n) => ({ ...mild, text: `No ${n}` }));
    const all = reviewed(undefined, 'a', found({ concerns: many }));
    const ids = all.concerns.map(({ id }) => id);
    const next = reviewed(all, 'b', found({ resolved: ids.slice(0, 250) }));
    expect(next.concerns).toHaveLength(150);
    expect(openConcerns(next)).toHaveLength(50);
  });
});

describe('/dismiss', () => {
  test('settles a concern, which the next review does not open again', () => {
    const run = judged(found({ concerns: [mild, grave] })).says(bob, '/dismiss c2 This is intended');
    expect(run.state.review?.concerns[1]).toMatchObject({
      state: 'dismissed',
      dismissed: { by: 'bob', why: 'This is intended' },
    });
    expect(run.reactions).toContain('rocket');
    const next = reviewed(run.state.review, 'b', found({ concerns: [{ ...grave }, { ...grave, id: 'c2' }] }));
    expect(openConcerns(next).map(({ id }) => id)).toEqual(['c1']);
  });

  test('leaves the commit to people that waited for them', () => {
    const run = judged(found({ concerns: [grave] }), auto).says(bob, '/dismiss c1');
    expect(run.phase).toBe('awaiting_approval');
    expect(run.state.approvals).toEqual([]);
  });

  test.each([
    ['the same commit', (run: Story) => run.says(ada, '/verify')],
    ['the next commit', (run: Story) => run.says(ada, '/steer a comment more').agent.finishes()],
    ['another base', (run: Story) => run.retargets(ada, 'next')],
  ] as const)('of a grave concern leaves %s to people, too', (_, moves) => {
    const run = moves(judged(found({ concerns: [grave] }), auto).says(ada, '/dismiss c1'));
    run.verifiers.find({ merged_runs: 9, review: found() });
    expect([run.phase, reasons(run)]).toEqual([
      'awaiting_approval',
      expect.stringContaining('grave concerns of the second opinion were dismissed: c1'),
    ]);
    expect(run.state.standing).not.toHaveProperty('proceeds');
  });

  test('of a mild concern hides no grave one that says the same', () => {
    const run = judged(found({ concerns: [mild] }), auto);
    expect(run.phase).toBe('approved');
    const before = judged(found({ concerns: [mild] })).says(ada, '/dismiss c1').state.review;
    const next = reviewed(before, 'b', found({ concerns: [{ ...mild, severity: 'high' }, mild] }));
    expect(openConcerns(next)).toMatchObject([{ id: 'c2', severity: 'high' }]);
  });

  test('of a grave concern is kept, however many others were settled since', () => {
    const before = judged(found({ concerns: [grave] })).says(ada, '/dismiss c1').state.review;
    const many = Array.from({ length: 300 }, (_, n) => ({ ...mild, text: `No ${n}` }));
    const all = reviewed(before, 'b', found({ concerns: many }));
    const next = reviewed(all, 'c', found({ resolved: all.concerns.map(({ id }) => id) }));
    expect(next.concerns[0]).toMatchObject({ id: 'c1', state: 'dismissed' });
    expect(next.concerns).toHaveLength(101);
  });

  test('of what is not there is refused with what is', () => {
    const run = judged(found({ concerns: [mild] })).says(bob, '/dismiss c7');
    expect(run.refusal).toEqual({ why: 'no_such_concern', named: 'c7', open: ['c1'] });
    run.says(bob, '/dismiss the first');
    expect(run.refusal).toMatchObject({ why: 'misspoken', command: 'dismiss' });
  });

  test('is offered only where there is something to dismiss', () => {
    expect(possibleIn(judged(found()).state)).not.toContain('dismiss');
    expect(possibleIn(judged(found({ concerns: [mild] })).state)).toContain('dismiss');
  });
});
