import { expect, test } from 'vitest';
import { parseCommand } from '../../src/github/markdown/command-parser.ts';
import { concernAnnotations, viewOf } from '../../src/github/show/view.ts';
import { openConcerns } from '../../src/steering/confidence/evaluation.ts';
import type { FoundConcern, FoundReview } from '../../src/steering/shapes/attempt-result.ts';
import type { State } from '../../src/steering/state/state.ts';
import { askText, decisionCheck, statusText, steerFor } from '../../src/words/index.ts';
import { lengthOf, maxBody } from '../../src/words/parts/sanitize.ts';
import { web } from '../github/show/state.ts';
import { ada } from '../steering/samples.ts';
import { type Story, story } from '../steering/story.ts';
import { harmful } from './harmful.ts';

const grave = { file: 'src/clock.ts', line: 3, severity: 'high', text: 'It drops the zone.' } as const;
const mild = { file: 'src/clock.ts', severity: 'low', text: 'A typo.' } as const;

function reviewed(concerns: readonly FoundConcern[], changed: Partial<FoundReview> = {}): Story {
  const review = { by: 'codex', confidence: 0.6, concerns, resolved: [], withdrawn: [], touched: [] };
  const run = story({ review: { agent: { use: 'codex', timeout_s: 60 } } })
    .starts()
    .agent.finishes();
  return run.verifiers.find({ review: { ...review, ...changed } });
}

function opinionIn(state: State): string {
  const [, opinion = ''] = askText(state, web).split(/(?=\*\*Second opinion\*\*)|\n\nAvailable now/);
  return opinion;
}

/** The inside of the outermost fence of the opinion, as somebody copies it. */
function copied(state: State): string {
  return /\n(`{3,})\n([\s\S]*?)\n\1(?:\n|$)/.exec(opinionIn(state))?.[2] ?? '';
}

test('a second opinion lists its concerns, the worst first, with what people can do about them', () => {
  const { state } = reviewed([mild, grave]);
  expect(opinionIn(state)).toMatchInlineSnapshot(`
    "**Second opinion**

    codex reviewed the change. Its confidence is 0.60, with 2 open concerns.

    - **c2** high: \`src/clock.ts:3\` It drops the zone.
    - **c1** low: \`src/clock.ts\` A typo.

    To have these addressed, copy this into a comment:

    \`\`\`\`
    /steer Deal with what the second opinion found:

    \`\`\`text
    - src/clock.ts:3: It drops the zone.
    - src/clock.ts: A typo.
    \`\`\`
    \`\`\`\`

    If a concern is mistaken, \`/dismiss c2 <why>\` settles it."
  `);
  expect(statusText(state)).toContain(
    'Second opinion: codex reviewed the change. Its confidence is 0.60, with 2 open concerns.\n' +
      '  c2 (high): src/clock.ts:3: It drops the zone.\n  c1 (low): src/clock.ts: A typo.\n',
  );
});

test('the title of the check does not let a score speak beside a grave concern', () => {
  const title = (run: Story) => decisionCheck(run.state, web).title;
  expect(title(reviewed([mild]))).toBe('Waiting for approval: confidence 0.88, high');
  expect(title(reviewed([grave]))).toBe('Waiting for approval with 1 grave concern; confidence 0.88, high');
  const { state } = reviewed([grave, { ...grave, line: 9 }]);
  const shown = state.shown ?? expect.fail();
  const gates = [{ rule: 'deletes-files', severity: 'high', path: 'a', evidence: 'a is deleted' }] as const;
  expect(decisionCheck({ ...state, shown: { ...shown, gates } }, web).title).toBe(
    'Waiting for approval at high risk: deletes a; with 2 grave concerns; confidence 0.88, high',
  );
});

test('nothing is suggested that would not be accepted', () => {
  const run = reviewed([grave]);
  expect(opinionIn({ ...run.state, max_iterations: 0 })).not.toContain('/steer');
  run.says(ada, '/dismiss c1 Meant so');
  expect(opinionIn(run.state)).not.toMatch(/\/steer|\/dismiss/);
  // The concerns stay in the check, where nobody writes comments.
  const { summary } = decisionCheck(reviewed([grave]).state, web);
  expect(summary).toContain('**c1** high');
  expect(summary).not.toContain('copy this');
});

test.each(harmful)('a concern with %s is one harmless line, and so is its steer', (_, text, forbidden) => {
  const { state } = reviewed([{ ...grave, text, file: `src/${text}`.slice(0, 500) }, mild]);
  const opinion = opinionIn(state);
  const [listed = ''] = opinion.split('\n\nTo have these');
  expect(listed.split('\n').filter((line) => line.startsWith('- '))).toHaveLength(2);
  expect(listed.replace(/(`+) ?[^\n]*? ?\1/g, '')).not.toMatch(forbidden);
  const steer = copied(state);
  expect(steer).toBe(steerFor(openConcerns(state.review ?? expect.fail())));
  expect(parseCommand(steer)).toMatchObject({ type: 'steer', now: false });
  const [first = '', , fence = '', ...lines] = steer.split('\n');
  expect(first).toBe('/steer Deal with what the second opinion found:');
  expect(fence).toMatch(/^`{3,}text$/);
  expect(lines.slice(0, -1).every((line) => line.startsWith('- '))).toBe(true);
  expect(lines).toHaveLength(3);
  expect(lines.at(-1)).toBe(fence.replace('text', ''));
});

test.each([
  ['letters', 'abc. '],
  ['mentions', '@a #1 <b '],
  ['backticks', '``` `'],
  ['other scripts', '計画を立てる。'],
])('a thousand concerns in %s leave room for the rest', (_, word) => {
  const text = word.repeat(300).slice(0, 1_000);
  const concerns = Array.from({ length: 50 }, (__, line) => ({
    ...grave,
    line,
    text,
    file: text.slice(0, 400),
  }));
  const { state } = reviewed(concerns, { omitted: 950 });
  const asked = askText(state, web);
  expect(lengthOf(asked)).toBeLessThan(maxBody - 4000);
  expect(asked).toContain('- and 980 more');
  expect(asked).toContain('`/approve');
  const { summary } = decisionCheck(state, web);
  expect(summary).toMatch(/Comment a command on [^\n]+`\/approve`/);
  expect(new TextEncoder().encode(summary).length).toBeLessThanOrEqual(60_003);
});

test('evidence that leaves no room for the question gives way to it', () => {
  const { state } = reviewed([grave]);
  const files = Array.from({ length: 50 }, () => ({
    ...({ path: '@a'.repeat(300), status: 'modified' } as const),
    ...{ additions: 1, deletions: 1 },
  }));
  const shown = state.shown ?? expect.fail();
  const gates = Array.from({ length: 50 }, () => ({
    ...({ rule: 'deletes-files', severity: 'high' } as const),
    ...{ path: '#1'.repeat(200), evidence: '@a'.repeat(300), allows: '@a'.repeat(200) },
  }));
  const changes = { files, summary: 'x' };
  const verifiers = Array.from({ length: 50 }, () => ({
    ...(shown.verifiers[0] ?? expect.fail()),
    verifier: 'v'.repeat(300),
  }));
  const asked = askText({ ...state, shown: { ...shown, gates, changes, verifiers } }, web);
  expect(lengthOf(asked)).toBeLessThan(maxBody - 4000);
  expect(asked).toContain('The evidence is in [its checks]');
  expect(asked).toContain('`/approve');
});

test('no opinion is said with why', () => {
  const { state } = reviewed([], { confidence: null, problem: 'it said nothing.' });
  expect(opinionIn(state)).toBe(
    '**Second opinion**\n\ncodex was asked but gave no usable opinion: it said nothing.',
  );
});

test('concerns annotate their lines, and never a path that GitHub would refuse', () => {
  const places = [
    'src/clock.ts',
    '/etc/passwd',
    '../x',
    'a/../../x',
    'a\nb',
    './x',
    'a//b',
    'C:\\x',
    '.git/config',
  ];
  const concerns = places.map((file) => ({ ...grave, file, text: '@octocat see #12345' }));
  const { state } = reviewed([
    ...concerns,
    { ...grave, file: 'a\u202eb' },
    { ...mild },
    { ...grave, line: 2 ** 31 },
  ]);
  expect(concernAnnotations(state)).toEqual([
    {
      ...{ path: 'src/clock.ts', start_line: 3, end_line: 3, annotation_level: 'warning' },
      message: 'Second opinion, c1 (high): @\u200boctocat see #\u200b12345',
    },
  ]);
  const many = Array.from({ length: 50 }, (_, line) => ({ ...grave, line: line + 1 }));
  expect(viewOf(reviewed(many).state, web).checks[0]?.annotations).toHaveLength(50);
});
