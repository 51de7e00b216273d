import { describe, expect, test } from 'vitest';
import type { ProofResult, ProofRun } from '../../src/steering/shapes/proof.ts';
import { askText, decisionCheck, verifierCheck } from '../../src/words/index.ts';
import { proofText } from '../../src/words/parts/confidence.ts';
import { aVerifier, awaiting, base, head, shownAt, web } from '../github/show/state.ts';

const passes = (name = 'test'): ProofResult => ({ name, success: true, exit_code: 0, timed_out: false });
const fails = (name = 'test'): ProofResult => ({ name, success: false, exit_code: 1, timed_out: false });
const ran = (...verifiers: readonly ProofResult[]): ProofRun => ({
  outcome: 'ran',
  verifiers,
  duration_s: 2,
});
const skipped = (why: string): ProofRun => ({ outcome: 'skipped', why });

function provenBy(old_tests: ProofRun, without_change: ProofRun, before?: ProofRun) {
  return shownAt(head, {
    proof: { tests: ['test/login.test.ts'], old_tests, without_change },
    ...(before !== undefined && { baseline: { base, run: before } }),
  });
}

const linesOf = (shown: ReturnType<typeof provenBy>) => proofText(shown).split('\n').slice(2);

describe('the proof by execution', () => {
  test('says of each direction what it is good for', () => {
    expect(linesOf(provenBy(ran(passes()), ran(fails())))).toEqual([
      '- Old tests, new code: green, as it should be: `test` passes',
      '- New tests without the change: red, as it should be: `test` fails (exit code 1)',
    ]);
  });

  test('says when the tests had to change, and when the new ones notice nothing', () => {
    expect(linesOf(provenBy(ran(fails()), ran(passes())))).toEqual([
      '- Old tests, new code: red: `test` fails (exit code 1), so it passes only with the changed tests',
      '- New tests without the change: green: `test` passes; ' +
        'the tests do not notice that the change is missing',
    ]);
  });

  test('takes nothing for proof that was red before this change', () => {
    const shown = provenBy(
      skipped('no test file was changed'),
      ran(passes(), fails('lint')),
      ran(fails('lint')),
    );
    expect(linesOf(shown)).toEqual([
      '- Before this change, at `bbbbbbb`: red: `lint` fails (exit code 1)',
      '- Old tests, new code: not run: no test file was changed',
      '- New tests without the change: red only as before this change: `test` passes, ' +
        '`lint` fails (exit code 1); the tests do not notice that the change is missing',
    ]);
  });

  test('does not blame the old tests for what fails with the new ones, too', () => {
    const shown = { ...provenBy(ran(fails()), ran(fails())), verifiers: [aVerifier({ success: false })] };
    expect(linesOf(shown)[0]).toBe(
      '- Old tests, new code: red as with the new tests: `test` fails (exit code 1)',
    );
  });

  test('names the tests that change with the behaviour, and what else people should look at', () => {
    const shown = { ...provenBy(ran(fails()), ran(fails())), remarks: ['a.test.ts:3: it is skipped'] };
    expect(linesOf(shown).slice(2)).toEqual([
      '- Behavior changes, and its tests change with it: see what is now expected in `test/login.test.ts`',
      '- Look at: a.test.ts:3: it is skipped',
    ]);
  });

  test('does not blame the new tests where the old ones were red before this change', () => {
    const shown = provenBy(ran(fails()), ran(passes()), ran(fails()));
    expect(linesOf(shown)[1]).toBe(
      '- Old tests, new code: red as before this change: `test` fails (exit code 1)',
    );
  });

  test('is in the check run and in the question to people', () => {
    const state = awaiting({ shown: provenBy(ran(passes()), ran(fails())) });
    for (const text of [decisionCheck(state, web).text, askText(state, web)])
      expect(text).toContain('**What the tests are worth**\n\n- Old tests, new code');
    expect(askText(awaiting(), web)).not.toContain('Proof');
  });
});

test('a verifier that was red before this change says so', () => {
  const shown = { head_sha: head, baseline: { base, run: ran(fails('lint')) } };
  const red = aVerifier({ name: 'lint', success: false, exit_code: 1 });
  expect(verifierCheck(red, shown, web)).toMatchObject({
    title: 'Failed (exit code 1), red before this change',
    summary: expect.stringContaining('It was red before this change, too.'),
  });
  expect(verifierCheck(aVerifier({ name: 'lint' }), shown, web).title).toBe('Passed');
  const asked = askText(awaiting({ shown: shownAt(head, { ...shown, verifiers: [red] }) }), web);
  expect(asked).toContain('- **fail** `api:lint` (exit code 1, red before this change)');
});

test('the merge that the verifiers saw is named', () => {
  expect(proofText(shownAt(head, { merged_with: base }))).toContain(
    '- The verifiers ran on the merge with the base at `bbbbbbb`',
  );
});
