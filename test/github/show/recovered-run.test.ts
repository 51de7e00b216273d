import { describe, expect, test } from 'vitest';
import { writeBlock } from '../../../src/github/show/block.ts';
import { recoveredFrom, renderedSeq } from '../../../src/github/show/recovered-run.ts';
import { seals } from '../../ledger/identity.ts';
import { anIteration, awaiting, steered } from './state.ts';

const run = { id: 'acme/api#12', number: 12, repository_id: 1 };
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
    expect(recoveredFrom(body, run, undefined)).toMatchObject({
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
    for (const { score, verifiers } of recoveredFrom(body, run, undefined)?.iterations ?? []) {
      expect({ score, verifiers }).toEqual({ score: null, verifiers: [] });
    }
    expect(Object.keys(recoveredFrom(body, run, undefined) ?? {}).sort()).toEqual(
      [
        ...['asked', 'attempt', 'iteration', 'iterations', 'max_iterations'],
        ...['people', 'people_digest', 'seq', 'task'],
      ].sort(),
    );
  });

  test('survives renaming the repository, and excludes other pull requests', () => {
    expect(recoveredFrom(body, { ...run, id: 'acme/service#12' }, undefined)?.seq).toBe(6);
    expect(recoveredFrom(body, { ...run, id: 'acme/api#2', number: 2 }, undefined)).toBeUndefined();
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
    expect(recoveredFrom(forged(change), run, undefined)).toBeUndefined();
  });

  test('does not include an impossible question', () => {
    const ask = { kind: 'approval', opened_at: '2026-11-21T10:00:00Z', head_sha: 'a'.repeat(40) };
    for (const id of ['approval:12:99', 'approval:13:5', 'interrupt:12:5', 'approval:12:5 -->']) {
      expect(recoveredFrom(claiming({ open_interaction: { ...ask, id } }), run, undefined)?.asked).toBeNull();
    }
  });
});

test('without seals, a body only says that there was a ledger', () => {
  expect(renderedSeq(body, run, undefined)).toBe(1);
  expect(renderedSeq('Closes #11.', run, undefined)).toBe(0);
  expect(renderedSeq(forged(broken), run, undefined)).toBe(1);
  expect(renderedSeq(claiming({ run: 'acme/api#13' }), run, undefined)).toBe(0);
});

const broken = () => '{"seq":';

describe('a sealed block', () => {
  const state = awaiting({ iteration: 1, iterations: [anIteration(), steered(1, 'one')] });
  const sealed = writeBlock('Closes #11.', state, { seals });
  const of = { ...run, repository_id: state.run.repository_id };
  const edited = (change: (json: string) => string) =>
    sealed.replace(/(?<=coxswain:state )\{.*\}(?= -->)/, (json) => change(json));

  test('proves the number of the ledger commit, and the people', () => {
    expect(renderedSeq(sealed, of, seals)).toBe(6);
    expect(recoveredFrom(sealed, of, seals)?.people).toMatchObject({ requested_by: { login: 'ada' } });
  });

  test.each([
    ['a higher number', (json: string) => json.replace('"seq":6', '"seq":900000')],
    ['another requester', (json: string) => json.replace('"login":"ada"', '"login":"bob"')],
    ['one character less', (json: string) => json.replace('"one"', '"on"')],
    ['no seal', (json: string) => json.replace(/,"seal":"[^"]*"/, '')],
    ['another seal', (json: string) => json.replace(/"seal":"v1 \w+ ./, '$&x')],
    ['a seal of an unknown key', (json: string) => json.replace('"seal":"v1 test', '"seal":"v1 other')],
  ])('with %s proves nothing', (_, change) => {
    const body = edited(change);
    expect(body).not.toBe(sealed);
    expect(renderedSeq(body, of, seals)).toBe(0);
    expect(recoveredFrom(body, of, seals)?.people ?? null).toBeNull();
    expect(recoveredFrom(body, of, seals)?.seq ?? 0).toBe(0);
  });

  test('belongs to one pull request of one repository', () => {
    expect(renderedSeq(sealed, { ...of, number: 13 }, seals)).toBe(0);
    expect(renderedSeq(sealed, { ...of, repository_id: 2 }, seals)).toBe(0);
  });

  test('counts beside a forged one, before or after it', () => {
    const forgery = edited((json) => json.replace('"seq":6', '"seq":9')).slice('Closes #11.'.length);
    expect(renderedSeq(sealed + forgery, of, seals)).toBe(6);
    expect(renderedSeq(forgery + sealed, of, seals)).toBe(6);
  });
});
