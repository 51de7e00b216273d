import { expect, test } from 'vitest';
import { runView } from '../../src/page/views/run-view.ts';
import type { State } from '../../src/steering/state/state.ts';
import { ada } from '../steering/samples.ts';
import { type Story, story } from '../steering/story.ts';
import { buttonsIn, textOf } from './reading.ts';
import { hostile, runModel, speakerOf, usualView } from './samples.ts';

const ways = ['Retry Task (with modifications)', 'Create New Task (replaces failed task)', 'Abandon Task'];

test('a failed task is shown with every attempt, and with the ways to go on', () => {
  const page = draw(failed());
  const text = textOf(page);
  expect(text).toMatch(/What was tried.* 1 Pinned.* 2 Pinned.* 3 Pinned.*What was asked.*Fix the flaky test/);
  const { standing } = failed().state;
  const why = standing.phase === 'awaiting_resolution' ? standing.interrupt.failure_reason : '';
  expect(why).not.toBe('');
  expect(page).toContain(`<pre tabindex="0"><code class="language-text">${why}`);
  for (const way of ways) expect(buttonsIn(page)).toContain(way);
});

test('of an attempt it says what it cost, what its agent said, what it changed and what failed first', () => {
  const run = failed();
  const [first] = run.state.attempts;
  if (first === undefined) throw new Error('nothing was tried');
  const said = `expected 1, got 2 ${hostile}`;
  const verifiers = [{ name: 'test', success: false, exit_code: 2, said }];
  const record = {
    ...first,
    files: ['a.ts', hostile],
    cost: { usd: 1.5 },
    duration_s: 90,
    verifiers,
    failure: null,
    summary: `Tried <b>hard</b>`,
  };
  const page = draw(run, { attempts: [record] });
  expect(textOf(page)).toMatch(
    / 1 Tried &lt;b&gt;hard&lt;\/b&gt; a\.ts , .* test failed expected 1, got 2 .* 1\.50 USD, 1 min 30 s /,
  );
  expect(page).not.toMatch(/<(script|img)/);
});

test('criteria that the description lists are said once', () => {
  const { task } = failed().state;
  const asked = (description: string) => {
    const but = {
      task: { ...task, title: 'Sums', description, acceptance_criteria: ['it adds', 'it sums'] },
    };
    return textOf(draw(failed(), but)).match(/it adds/g)?.length;
  };
  const source = 2; // It is in the forms of `/retry` and `/spawn`, too.
  expect(asked('Add.\n\n## Acceptance criteria\n- it adds\n- it sums')).toBe(1 + 2 * source);
  expect(asked('Add.')).toBe(1 + source);
});

test.each([
  ['none', undefined, '', []],
  ['one', ['careful'], '', ['*none: the configured agent', 'careful']],
  ['many', ['careful', 'quick'], 'quick', ['none: the configured agent', 'careful', '*quick']],
  ['none that is left', undefined, 'gone', ['none: the configured agent', '*gone']],
] as const)(
  'of the worker profiles one is chosen, where there is %s',
  (_, profiles, worker_profile, shown) => {
    const { settings, task } = failed().state;
    const named = profiles === undefined ? {} : { profiles };
    const page = draw(failed(), { settings: { ...settings, ...named }, task: { ...task, worker_profile } });
    const [, select = ''] = /<select id="retry-0-worker_profile"[^>]*>(.*?)<\/select>/s.exec(page) ?? [];
    const options = [...select.matchAll(/<option value="[^"]*"( selected)?>([^<]*)/g)];
    expect(options.map(([, selected, label]) => `${selected ? '*' : ''}${label}`)).toEqual(shown);
    expect(page).not.toContain('<input type="text" id="retry-0-worker_profile"');
  },
);

test('one click tries again where a form does not, and nowhere twice', () => {
  expect(draw(failed())).not.toContain('id="button-retry"');
  expect(draw(story().starts().works())).toContain('id="button-retry"');
});

test('a task that timed out can still be repaired', () => {
  const run = failed();
  const { standing } = run.state;
  if (standing.phase !== 'awaiting_resolution') throw new Error('it did not fail');
  const page = draw(run, { standing: { phase: 'timed_out', before: standing } });
  expect(textOf(page)).toContain('What was asked');
  expect(buttonsIn(page)).toContain(ways[0]);
});

test('while the new runs are made, nobody else decides', () => {
  const run = failed();
  const { standing } = run.state;
  if (standing.phase !== 'awaiting_resolution') throw new Error('it did not fail');
  const tasks = [{ name: 'a', description: 'A' }];
  const page = draw(run, { standing: { ...standing, spawning: { by: ada, cause: 'c', tasks } } });
  expect(textOf(page)).toContain('ada is replacing this task with 1 new task, which is being started.');
  for (const way of ways) expect(buttonsIn(page)).not.toContain(way);
});

test('who may only read sees what failed, and no way to decide', () => {
  const speaker = speakerOf();
  const reader = speakerOf({ viewer: { ...speaker.viewer, role: 'read' } });
  const run = runModel(failed());
  const page = runView({
    run,
    speaker: reader,
    view: usualView,
    input: null,
    news: null,
  }).text;
  expect(textOf(page)).toContain('What was asked');
  for (const way of ways) expect(buttonsIn(page)).not.toContain(way);
});

test('a blocked run links what it waits for, and says how that is', () => {
  const on = [
    { number: 12, is: 'open' },
    { number: 13, is: 'ready' },
    { number: 14, is: 'closed' },
  ] as const;
  const page = draw(story().starts(), { standing: { phase: 'blocked', on } });
  expect(textOf(page)).toMatch(/#12 is not merged yet.*#13 is merged.*#14 was closed without a merge/);
  expect(page).toContain('<a href="/acme/service/issues/12">#12</a>');
  expect(buttonsIn(page)).toContain('Start anyway');
  expect(buttonsIn(page)).not.toContain('Try again');
});

test('a run shows who waits for it', () => {
  const usual = { speaker: speakerOf(), view: usualView, input: null, news: null };
  const waiting = [{ name: hostile, number: 9 }];
  const page = runView({ run: runModel(story().starts().works()), ...usual, waiting }).text;
  expect(page).toContain('<dt>Waits for this</dt><dd><a href="/acme/service/pull/9">#9</a> (&lt;script&gt;');
});

test('an abandoned run says by whom and why, or what took its place', () => {
  const gone = { phase: 'abandoned', by: 'ada', reason: 'Nobody needs it' } as const;
  expect(textOf(draw(failed(), { standing: gone }))).toMatch(/Abandoned by ada.*Nobody needs it/);
  const replaced_by = { cause: 'c', made: [{ name: 'parser', number: 21 }] };
  const page = draw(failed(), { standing: { ...gone, replaced_by } });
  expect(page).toContain('Replaced by <a href="/acme/service/issues/21">#21</a>.');
  expect(textOf(page)).not.toContain('Abandoned by');
});

test('a run in the place of another links it', () => {
  const page = draw(story().starts(), { replaces: { number: 5, cause: 'c', name: 'parser' } });
  expect(page).toContain('<dt>Replaces</dt><dd><a href="/acme/service/pull/5">#5</a></dd>');
});

function failed(): Story {
  const run = story().starts();
  for (let nth = 0; nth < 3; nth += 1) run.agent.finishes().verifiers.fail('test');
  return run;
}

function draw(run: Story, but: Partial<State> = {}): string {
  const state = { value: { ...run.state, ...but } };
  const usual = { speaker: speakerOf(), view: usualView, input: null, news: null };
  return runView({ run: runModel(run, { state }), ...usual }).text;
}
