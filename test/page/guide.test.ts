import { expect, test } from 'vitest';
import { type Guidance, guideView } from '../../src/page/guide.ts';
import { history } from '../../src/page/views/run-view.ts';
import { hostile, logOf } from './samples.ts';

const guidance: Guidance = {
  title: 'What to try next',
  tracks: [
    {
      name: 'Discount',
      href: '/acme/api/pull/4',
      isHere: true,
      steps: [
        { text: 'Start', status: 'done' },
        { text: 'Steer', status: 'now' },
        { text: 'Merge', status: 'later' },
      ],
      now: ['Write ', { type: hostile }, ' in ', { text: 'the box', href: '#commands' }, '.'],
    },
    { name: 'Upgrade', href: '/acme/api/issues/3', isHere: false, steps: [], now: ['Start it.'] },
  ],
};

test('the guide marks the step that is next, and leads to the other stories', () => {
  const page = guideView(guidance).text;
  expect(page).not.toContain(hostile);
  expect(page.match(/aria-current="step"/g)).toHaveLength(1);
  expect(textOf(page)).toBe(
    'What to try next Discount ✓ done: Start ▸ next: Steer · Merge ' +
      'Write &lt;script&gt;window.broken = true&lt;/script&gt;&lt;img src=x ' +
      'onerror=&quot;window.broken = true&quot;&gt; in the box . Upgrade 0 of 0 steps',
  );
  expect(page).toContain('<a href="/acme/api/issues/3">Upgrade</a>');
  expect(page).toContain('<details id="guide" open>');
});

test('on a page that is about none of them, all stories are shown whole', () => {
  const tracks = guidance.tracks.map((track) => ({ ...track, isHere: false }));
  expect(textOf(guideView({ ...guidance, tracks }).text)).toContain('Upgrade Start it.');
});

test('the record is what Git lists, and how to list it', () => {
  const log = logOf(['Start: it', `Steered by ${hostile}`]);
  const { text } = history(log);
  expect(text).toContain(`git fetch origin ${log.ref}\ngit log --reverse --format=%s FETCH_HEAD`);
  expect(textOf(text)).toMatch(
    /what happened when Steered by &lt;script&gt;.* UTC Start: it 3 Mar 2025, 12:00 UTC/,
  );
  expect(text).not.toContain(hostile);
  expect(history({ ...log, omitted: 12 }).text).toContain('There are 12 older ones.');
});

function textOf(page: string): string {
  return page
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
