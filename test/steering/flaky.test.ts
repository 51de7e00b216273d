import { describe, expect, test } from 'vitest';
import { failsDifferently, flakyTests, isFlaky } from '../../src/steering/confidence/verifier-results.ts';
import type { FailedRun, VerifierOutput } from '../../src/steering/shapes/attempt-result.ts';
import type { Outcome } from '../../src/steering/shapes/task.ts';
import { ada, bob, settingsOf, verifierOutputs } from './samples.ts';
import { type Story, story } from './story.ts';

/** Verifiers whose results differ on one and the same tree. */

const failed: FailedRun = { exit_code: 1, duration_s: 2, said: 'counts failed' };

const settings = {
  verifiers: ['test', 'lint'].map((name) => ({ name, run: 'true', timeout_s: 60, required: true })),
};

/** What the verifiers say, where this one has failed in other runs. */
function outputs(name: string, runs: readonly FailedRun[], ...red: readonly string[]) {
  return verifierOutputs(settingsOf(settings), red).map((each) =>
    each.name === name ? { ...each, failed_runs: runs } : each,
  );
}

const found = (subject: string, ...red: readonly string[]) => ({
  subject,
  verifiers: verifierOutputs(settingsOf(settings), red),
});

const flaky = () =>
  story(settings)
    .starts()
    .agent.finishes()
    .verifiers.find({ subject: 'a', verifiers: outputs('test', [failed]) });

test('a verifier that is green when it is run again costs no attempt, and people see both', () => {
  const { state } = flaky();
  expect(state.standing.phase).toBe('awaiting_approval');
  expect(state.attempts).toMatchObject([
    { outcome: 'green', verifiers: [{ name: 'test', success: true, runs: 2, flaky: [] }, { name: 'lint' }] },
  ]);
  expect(state.iterations.at(-1)?.verifiers).toEqual([
    { name: 'test', success: true, flaky: true },
    { name: 'lint', success: true },
  ]);
  expect(state.flaky).toEqual([{ name: 'test', times: 1, tests: [] }]);
  expect(state.shown?.confidence.score).toBe(1);
});

test('people can approve it as any other', () => {
  expect(flaky().says(bob, '/approve').confirms().state.standing).toMatchObject({ finish: 'finished' });
});

test('a policy leaves it to people', () => {
  const run = story({ ...settings, approval: { mode: 'auto', new_history: 0 } }).starts();
  run.agent.finishes().verifiers.find({ verifiers: outputs('test', [failed]) });
  expect(run.state.standing).toMatchObject({ phase: 'awaiting_approval' });
  expect(run.state.standing).not.toHaveProperty('proceeds');
  expect(run.state.shown?.proceeding).toEqual({
    how: 'wait',
    because: [{ why: 'flaky', verifiers: ['test'] }],
  });
});

test('a policy leaves it to people as well if a verifier wavers only with the old tests', () => {
  const run = story({ ...settings, approval: { mode: 'auto', new_history: 0 } }).starts();
  const result = { name: 'test', success: true, exit_code: 0, timed_out: false };
  const proof = {
    tests: ['count.test.ts'],
    old_tests: { outcome: 'ran', duration_s: 1, verifiers: [{ ...result, flaky: true }] },
    without_change: {
      outcome: 'ran',
      duration_s: 1,
      verifiers: [{ ...result, success: false, exit_code: 1 }],
    },
  } as const;
  run.agent.finishes().verifiers.find({ proof });
  expect(run.state.shown?.proceeding).toEqual({
    how: 'wait',
    because: [{ why: 'flaky', verifiers: ['test'] }],
  });
});

test('what is red in every run spends an attempt', () => {
  const run = story(settings).starts().agent.finishes();
  run.verifiers.find({ verifiers: outputs('test', [failed], 'test') });
  expect(run.state.standing).toMatchObject({ phase: 'queued', work: 'attempt' });
  expect(run.state.attempts[0]?.verifiers[0]).toMatchObject({ success: false, runs: 2 });
  expect(run.state.attempts[0]?.verifiers[0]).not.toHaveProperty('flaky');
  expect(run.state.flaky).toBeUndefined();
});

describe('the same verified again', () => {
  const red = (subject = 'a') =>
    story({ ...settings, attempts: { max: 1 } })
      .starts()
      .agent.finishes()
      .verifiers.find(found(subject, 'test'));

  test('and green then is flaky', () => {
    const run = red().says(ada, '/verify').verifiers.find(found('a'));
    expect(run.state.shown?.verifiers[0]).toMatchObject({
      success: true,
      failed_runs: [{ exit_code: 1, said: 'test failed' }],
    });
    expect(run.state.flaky).toMatchObject([{ name: 'test', times: 1 }]);
    expect(run.state.standing.phase).toBe('awaiting_approval');
  });

  test('stays so however often it is green, and counts once', () => {
    const run = red().says(ada, '/verify').verifiers.find(found('a'));
    run.says(ada, '/verify').verifiers.find(found('a'));
    expect(run.state.shown?.verifiers[0]?.failed_runs).toHaveLength(1);
    expect(run.state.flaky).toMatchObject([{ times: 1 }]);
  });

  test('is not flaky if anything has changed that decides about it', () => {
    const run = red().says(ada, '/verify').verifiers.find(found('b'));
    expect(run.state.shown?.verifiers[0]).not.toHaveProperty('failed_runs');
  });

  test('is known from an earlier attempt, too', () => {
    const run = story(settings).starts().agent.finishes().verifiers.find(found('a', 'test'));
    run.agent.finishes().verifiers.find(found('b', 'lint'));
    run.agent.finishes().verifiers.find(found('a'));
    expect(run.state.shown?.verifiers[0]).toMatchObject({
      success: true,
      failed_runs: [{ exit_code: 1, said: 'test failed' }],
    });
    expect(run.state.standing.phase).toBe('awaiting_approval');
  });
});

test('the flakiest of a run come first, with the tests that were so, and its outcome names them', () => {
  const counts = { ...failed, failed: 1, tests: ['counts'] };
  const run = story(settings).starts().agent.finishes();
  run.verifiers.find({ subject: 'a', verifiers: outputs('lint', [failed]) });
  run.says(ada, '/steer more').agent.finishes();
  run.verifiers.find({ subject: 'b', verifiers: outputs('test', [counts]) });
  run.says(ada, '/steer more').agent.finishes();
  run.verifiers.find({ subject: 'c', verifiers: outputs('test', [{ ...counts, tests: ['adds'] }]) });
  expect(run.state.flaky).toEqual([
    { name: 'test', times: 2, tests: ['adds', 'counts'] },
    { name: 'lint', times: 1, tests: [] },
  ]);
  run.says(bob, '/approve').confirms().merges(bob);
  expect(outcomeOf(run)?.flaky).toEqual(['test', 'lint']);
});

function outcomeOf({ effects }: Story): Outcome | undefined {
  return effects.flatMap((effect) => (effect.do === 'record_outcome' ? [effect.outcome] : []))[0];
}

describe('what runs on one tree say of single tests', () => {
  const report = (...names: readonly string[]): Partial<VerifierOutput> => ({
    tests: {
      ...{ from: 'junit', total: 9, failed: names.length, skipped: 0 },
      failures: names.map((name) => ({ name, message: '' })),
    },
  });
  const cases: readonly [string, Partial<VerifierOutput>, string[], 'flaky' | 'differs' | 'same'][] = [
    ['green after a red one', { success: true, failed_runs: [{ ...failed, tests: ['a'] }] }, ['a'], 'flaky'],
    ['green after an unknown red one', { success: true, failed_runs: [failed] }, [], 'flaky'],
    ['the same red', { ...report('a'), failed_runs: [{ ...failed, failed: 1, tests: ['a'] }] }, [], 'same'],
    [
      'another red',
      { ...report('b', 'c'), failed_runs: [{ ...failed, failed: 2, tests: ['a', 'b'] }] },
      ['a', 'c'],
      'differs',
    ],
    [
      'another number of red ones',
      { ...report('a'), failed_runs: [{ ...failed, failed: 3 }] },
      [],
      'differs',
    ],
    ['another exit code', { exit_code: 2, failed_runs: [failed] }, [], 'differs'],
    ['red for a reason that is not known', { failed_runs: [failed] }, [], 'same'],
    ['run once', {}, [], 'same'],
  ];
  test.each(cases)('%s', (_, changed, names, verdict) => {
    const [output] = verifierOutputs(settingsOf(settings), ['test']);
    if (output === undefined) throw new Error('there is no verifier');
    const all = { ...output, ...changed };
    expect(flakyTests(all)).toEqual(names);
    expect({ flaky: isFlaky(all), differs: failsDifferently(all) }).toEqual({
      flaky: verdict === 'flaky',
      differs: verdict === 'differs',
    });
  });
});

describe('it goes in circles', () => {
  /** Each attempt's tree, with what is red on it; `/` is where a person said something. */
  const played = (attempts: readonly string[]): Story => {
    const run = story({ ...settings, attempts: { max: 6 } }).starts();
    for (const each of attempts) {
      if (each === '/') {
        run.says(ada, '/steer go on');
        continue;
      }
      const [subject = '', ...red] = each.split(' ');
      run.agent.finishes().verifiers.find(found(subject, ...red));
    }
    return run;
  };
  const cases: readonly [readonly string[], string | null][] = [
    [['a test', 'a test'], 'attempt 2 came to the same files as attempt 1, and test failed on them again'],
    [
      ['a test', 'b test', 'a test'],
      'attempt 3 came to the same files as attempt 1, and test failed on them again',
    ],
    [
      ['a test', 'b test', 'c test', 'b test'],
      'attempt 4 came to the same files as attempt 2, and test failed on them again',
    ],
    [['a test', 'b test', 'c test'], null],
    // It fails in another way, or passed there: that is flaky.
    [['a test', 'b test', 'a lint'], null],
    [['a test', 'b test', 'a test lint'], null],
    [['a test', 'b test', 'a'], null],
    // A person has said something since.
    [['a test', '/', 'a test'], null],
    [['a test', 'b test', '/', 'a test'], null],
    [
      ['a test', '/', 'b test', 'a test', 'b test', 'a test'],
      'attempt 3 came to the same files as attempt 1, and test failed on them again',
    ],
  ];
  test.each(cases)('%j', (attempts, reason) => {
    const { standing } = played(attempts).state;
    const interrupt = standing.phase === 'awaiting_resolution' ? standing.interrupt : null;
    expect(interrupt && [interrupt.type, interrupt.failure_reason]).toEqual(reason && ['circles', reason]);
  });

  test('a retry lets it try again', () => {
    const run = played(['a test', 'a test']).says(ada, '/retry');
    expect(run.state.standing).toMatchObject({ phase: 'queued', work: 'attempt' });
    run.agent.finishes().verifiers.find(found('a', 'test'));
    expect(run.state.standing).toMatchObject({ phase: 'queued', work: 'attempt' });
  });
});
