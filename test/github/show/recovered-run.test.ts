import { describe, expect, test } from 'vitest';
import { writeBlock } from '../../../src/github/show/block.ts';
import { recoveredFrom, renderedSeq } from '../../../src/github/show/recovered-run.ts';
import { anIteration, awaiting, steered } from './state.ts';

const run = { id: 'acme/api#12', number: 12 };
const body = writeBlock(
  'Closes #11.',
  awaiting({ iteration: 2, iterations: [anIteration(), steered(1, 'one'), steered(2, 'two')] }),
);

/** The body with its line of JSON changed. */
function forged(change: (json: string) => string): string {
  const changed = body.replace(/(?<=coxswain:state )\{.*\}(?= -->)/, (json) => change(json));
  expect(changed).not.toBe(body);
  return changed;
}

function claiming(changed: object): string {
  return forged((json) => JSON.stringify({ ...JSON.parse(json), ...changed }));
}

describe('what can be recovered from a pull request', () => {
  test('is the task, its progress, and the steers', () => {
    expect(recoveredFrom(body, run)).toMatchObject({
      seq: 6,
      task: { id: 'issue-11', title: 'Fix the login', kind: 'build' },
      iteration: 2,
      attempt: 1,
      iterations: [
        { iteration_number: 1, prompt: 'one', landed: true },
        { iteration_number: 2, prompt: 'two', landed: true },
      ],
      asked: { id: 'approval:12:6', kind: 'approval' },
    });
  });

  test('does not include verifier results or confidence', () => {
    for (const { score, verifiers } of recoveredFrom(body, run)?.iterations ?? []) {
      expect({ score, verifiers }).toEqual({ score: null, verifiers: [] });
    }
    expect(Object.keys(recoveredFrom(body, run) ?? {}).sort()).toEqual(
      ['asked', 'attempt', 'iteration', 'iterations', 'seq', 'task'].sort(),
    );
  });

  test('survives renaming the repository, and excludes other pull requests', () => {
    expect(recoveredFrom(body, { id: 'acme/service#12', number: 12 })?.seq).toBe(6);
    expect(recoveredFrom(body, { id: 'acme/api#2', number: 2 })).toBeUndefined();
  });

  test.each([
    ['no JSON', () => '{"seq":'],
    ['a number no ledger reaches', (json: string) => json.replace('"seq":6', '"seq":9007199254740991')],
    ['half a number', (json: string) => json.replace('"seq":6', '"seq":6.5')],
    ['an iteration that never was', (json: string) => json.replace('"iteration":2', '"iteration":900000')],
    ['an iteration after the last', (json: string) => json.replace('"iteration":2', '"iteration":1')],
    ['an iteration twice', (json: string) => json.replace('"iteration_number":2', '"iteration_number":1')],
    ['an author who is no login', (json: string) => json.replace('"author":"ada"', '"author":"@acme/all"')],
    [
      'a head that is no commit',
      (json: string) => json.replace(/"head_after":"\w+"/, '"head_after":"--all"'),
    ],
    ['a task of no kind', (json: string) => json.replace('"kind":"build"', '"kind":"deploy"')],
    ['a time that is none', (json: string) => json.replace(/"timestamp":"[^"]+"/, '"timestamp":"now"')],
  ])('is nothing if the block contains %s', (_, change) => {
    expect(recoveredFrom(forged(change), run)).toBeUndefined();
  });

  test('does not include an impossible question', () => {
    const ask = { kind: 'approval', opened_at: '2026-11-21T10:00:00Z', head_sha: 'a'.repeat(40) };
    for (const id of ['approval:12:99', 'approval:13:5', 'interrupt:12:5', 'approval:12:5 -->']) {
      expect(recoveredFrom(claiming({ open_interaction: { ...ask, id } }), run)?.asked).toBeNull();
    }
  });
});

test('a ledger must have reached what the body was rendered from', () => {
  expect(renderedSeq(body, run)).toBe(6);
  expect(renderedSeq('Closes #11.', run)).toBe(0);
  expect(
    renderedSeq(
      forged(() => '{"seq":'),
      run,
    ),
  ).toBe(1);
  expect(renderedSeq(claiming({ seq: 9007199254740991 }), run)).toBe(1);
  expect(renderedSeq(claiming({ run: 'acme/api#13' }), run)).toBe(0);
});
