import { describe, expect, test } from 'vitest';
import { inboxEntry } from '../../src/doors/report/run-report.ts';
import { batchReview, settledRow, settledSummary } from '../../src/page/inbox/batch-view.ts';
import { type Batch, batchIn, chosenText, draftFor, type Look } from '../../src/page/inbox/load-batch.ts';
import { runIn } from '../steering/phases.ts';
import { bob, deletion, mia, rea, sha } from '../steering/samples.ts';
import { type Story, story } from '../steering/story.ts';
import { buttonsIn, textOf } from './reading.ts';
import { hostile } from './samples.ts';

const web = 'https://github.com/acme/service';
const now = '2025-03-04T12:00:00Z';

/** What a checkbox of the inbox says of a run. */
function boxOf({ state }: Story): string {
  const entry = inboxEntry(state, { web, trust: 'verified' });
  if (entry === undefined) throw new Error('it waits for nobody');
  return chosenText(entry);
}

function formOf(command: string, runs: readonly string[], reason = ''): Batch {
  const fields = new URLSearchParams({ command, reason });
  for (const run of runs) fields.append('run', run);
  return batchIn(fields);
}

function lookAt({ state }: Story, but: Partial<Look> = {}): Look {
  return { state, by: mia, web, head_sha: state.head, ...but };
}

/** What comes of a batch of a run as it was shown, when it is as it is now. */
function found(shown: Story, { command = 'approve', reason = '', look = lookAt(shown) } = {}) {
  const batch = formOf(command, [boxOf(shown)], reason);
  const [chosen] = batch.chosen;
  if (chosen === undefined) throw new Error('nothing is chosen');
  return { batch, chosen, found: draftFor(batch, chosen, look, now) };
}

const asked = () => runIn.awaiting_approval();

describe('a form', () => {
  test('names runs with what was shown of them, each once', () => {
    const box = boxOf(asked());
    expect(formOf('reject', [box, box], ' No longer\u200b needed ')).toEqual({
      command: 'reject',
      reason: 'No longer needed',
      chosen: [
        {
          place: { owner: 'acme', repo: 'service', number: 7 },
          head_sha: asked().state.head,
          waiting_since: '2025-03-03T12:03:00.000Z',
        },
      ],
    });
  });

  test.each([
    ['no command', '', [boxOf(asked())], '/ is said on one run at a time.'],
    ['another command', 'allow', [boxOf(asked())], '/allow is said on one run at a time.'],
    ['no run', 'approve', [], 'No run is chosen: choose at least one.'],
    ['no reason to reject', 'reject', [boxOf(asked())], '/reject needs a reason: write it first.'],
    ['a path in place of a run', 'approve', ['../x#1 abc 1'], 'A chosen run is "../x#1 abc 1": expected'],
    [
      'more than fifty runs',
      'approve',
      Array.from({ length: 51 }, (_, n) => `a/b#${n + 1} ${sha(1)} ${now}`),
      'At most 50 runs are settled at once, and 51 are chosen.',
    ],
  ])('with %s is answered with what is expected', (_, command, runs, message) => {
    expect(() => formOf(command, runs)).toThrow(message);
  });
});

describe('on a run that is as it was shown', () => {
  test.each([
    ['approve', asked, `/approve ${asked().state.head}`],
    ['reject', asked, '/reject Why not'],
    ['retry', () => runIn.awaiting_resolution(), '/retry'],
    ['abandon', () => runIn.awaiting_resolution(), '/abandon Why not'],
  ])('%s is said', (command, run, text) => {
    expect(found(run(), { command, reason: 'Why not' }).found).toMatchObject({
      ...{ place: { number: 7 }, text, user_id: mia.id, repository_id: 1, web },
    });
  });

  test('what one says alone is left out, and why', () => {
    const risky = story()
      .starts()
      .agent.finishes()
      .engine.takes()
      .verifiers.find({ gates: [deletion] });
    expect(found(risky).found).toMatchObject({ why: 'its risk is high, so it has to be looked at alone' });
    expect(found(asked(), { command: 'retry' }).found).toMatchObject({
      why: '/retry does not answer what it asks',
    });
    expect(found(asked(), { look: lookAt(asked(), { by: rea }) }).found).toMatchObject({
      why: expect.stringContaining('your role is read'),
    });
  });
});

test('a run that is not as it was shown is left out, and so is one that nobody may see', () => {
  const box = asked();
  const whyNow = (look: Look | undefined) => {
    const { batch, chosen } = found(box);
    const draft = draftFor(batch, chosen, look, now);
    return 'why' in draft ? draft.why : undefined;
  };
  expect(whyNow(undefined)).toBe('there is no such run, or you cannot see it');
  expect(whyNow(lookAt(asked().says(bob, '/reject no')))).toBe('it no longer waits for anybody');
  expect(whyNow(lookAt(asked().says(bob, '/steer more').works()))).toMatch(
    /^its commit is now \w{7}, and \w{7} was shown$/,
  );
  expect(whyNow(lookAt(asked(), { head_sha: sha(99) }))).toBe(
    `somebody has just pushed ${sha(99).slice(0, 7)}`,
  );
  expect(whyNow(lookAt(asked().says(bob, '/verify').verifiers.pass()))).toBe(
    'it asks for something else than was shown',
  );
  expect(whyNow(lookAt(asked()))).toBeUndefined();
});

describe('before it is said', () => {
  test('the page shows what will be posted on which commit, and what is left out', () => {
    const ready = found(asked(), { command: 'reject', reason: hostile });
    const left = { chosen: ready.chosen, why: 'its risk is `high`' };
    const page = batchReview(ready.batch, [ready.found, left]).text;
    const text = textOf(page);
    expect(text).toContain('/reject on 1 run');
    expect(text).toContain(asked().state.head.slice(0, 7));
    expect(text).toContain('low');
    expect(page).toContain('its risk is <code>high</code>');
    expect(page).not.toContain('<script>');
    expect(buttonsIn(page)).toEqual(['Say /reject on this run']);
    // Only what is said goes on, as it was chosen.
    expect(page.match(/name="run"/g)).toHaveLength(1);
    expect(page).toContain(`name="run" value="${boxOf(asked())}"`);
  });

  test('there is no button where nothing can be said', () => {
    const { batch, chosen } = found(asked());
    const page = batchReview(batch, [{ chosen, why: 'it was merged' }]).text;
    expect(buttonsIn(page)).toEqual([]);
    expect(textOf(page)).toContain('Nothing can be said on these runs together.');
  });
});

test('afterwards each run says what came of it, and the last line how many', () => {
  const { found: draft } = found(asked());
  if ('why' in draft) throw new Error(draft.why);
  const comment = `${web}/pull/7#issuecomment-1`;
  const all = [
    { draft, status: 'accepted', comment, state: asked().says(mia, '/approve').state },
    { draft, status: 'refused', comment, reply: 'Ask **Mia**.' },
    { draft, status: 'posted', comment },
    { draft, status: 'left_out', why: 'it was merged' },
    { draft, status: 'left_out', why: 'it was merged' },
  ] as const;
  const rows = all.map((each) => settledRow(each).text);
  expect(textOf(rows[0] ?? '')).toMatch(/acme\/service#7 .*[Aa]pproved.* settled/);
  expect(rows[1]).toContain('Ask <strong>Mia</strong>.');
  expect(rows[2]).toContain(`href="${comment}"`);
  expect(textOf(rows[3] ?? '')).toContain('it was merged left out');
  expect(textOf(settledSummary(all).text)).toContain('1 settled, 1 refused, 1 not taken up yet, 2 left out.');
});
