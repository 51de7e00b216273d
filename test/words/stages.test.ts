import { expect, test } from 'vitest';
import { readBlock, writeBlock } from '../../src/github/show/block.ts';
import {
  askText,
  decisionCheck,
  refusalText,
  settledAsk,
  statusText,
  whyText,
} from '../../src/words/index.ts';
import { lengthOf, maxBody } from '../../src/words/parts/sanitize.ts';
import { web } from '../github/show/state.ts';
import { ada, type Choices, planFirst, threeStages } from '../steering/samples.ts';
import { type Story, story } from '../steering/story.ts';
import { harmful } from './harmful.ts';

const seen = (text: string): string => text.replaceAll('\u200b', '·');

function planned(text: string, dropped?: readonly string[], choices: Choices = {}): Story {
  return story({ stages: planFirst, ...choices })
    .starts()
    .agent.plans(text, dropped);
}

test('the comment for a plan shows it, what was dropped, and what an approval means', () => {
  const { state } = planned('1. Pin the clock.\n2. Test it.', ['src/clock.ts']);
  expect(seen(askText(state, web).split('\n\nAvailable now')[0] ?? '')).toMatchInlineSnapshot(`
    "### A plan waits for approval

    Approving it starts the stage implement. This does not approve any code: the finished work is decided on later, as usual.

    The plan:

    > 1. Pin the clock.
    > 2. Test it.

    A plan changes no files, so everything else that the agent changed was dropped:

    - \`src/clock.ts\`"
  `);
  const { title, summary, text } = decisionCheck(state, web);
  expect([title, text]).toEqual(['A plan waits for approval', '']);
  expect(seen(summary).split('\n\nComment a')[0]).toMatchInlineSnapshot(`
    "Approving it starts the stage implement. This does not approve any code: the finished work is decided on later, as usual.

    The plan:

    > 1. Pin the clock.
    > 2. Test it.

    A plan changes no files, so everything else that the agent changed was dropped:

    - \`src/clock.ts\`"
  `);
  const block = readBlock(writeBlock('', planned('A long plan. '.repeat(4_000)).state));
  expect(block?.open_interaction).toMatchObject({ kind: 'stage', subtask_id: 'plan' });
});

test('/status and /why say what is on show and who may let it go on', () => {
  const { state } = planned('Pin it.', [], { approval: { by: [{ login: 'ada' }] } });
  expect(statusText(state)).toContain('Status: awaiting_stage');
  expect(statusText(state)).toContain('Approving it starts the stage implement.');
  expect(whyText(state, web).split('\n')[0]).toMatchInlineSnapshot(
    `"Missing: \`/approve\` by @​ada, or a steer, until 2025-03-04 12:02:00 UTC; the stage plan is under review, and the next one begins once it is approved."`,
  );
  expect(askText(state, web)).toContain('It can be approved by @\u200bada.');
});

test('a stage that is no plan shows what its agent says, and is named', () => {
  const stages = threeStages.map((each) => ({ ...each, approve: true as const }));
  const { state } = story({ stages }).starts().agent.finishes({ summary: 'Wrote the tests.' });
  expect(askText(state, web)).toMatch(
    /^### The stage tests waits for approval\n\nApproving it starts the stage implement\./,
  );
  expect(askText(state, web)).toContain('In the words of the agent:\n\n> Wrote the tests.');
});

test.each([
  ['ascii', 'abc. '.repeat(12_000)],
  ['lines', '-\n'.repeat(30_000)],
  ['mentions', '@a #1 <b'.repeat(7_500)],
  ['other scripts', '計画を立てる。'.repeat(8_500)],
  ['emoji', '🧭'.repeat(30_000)],
])('a plan of 60,000 characters (%s) leaves room for the rest, and says where all of it is', (_, text) => {
  const run = planned(text, Array(50).fill(`src/${'d'.repeat(240)}`));
  const asked = askText(run.state, web);
  const where = '`git fetch origin refs/coxswain/open/12 && git show FETCH_HEAD:iterations/0/1/plan/plan.md`';
  expect(asked).toContain(where.replace('/12 ', `/${run.state.run.number} `));
  expect(asked).toContain('`/approve');
  run.says(ada, '/approve');
  const settled = settledAsk(asked, run.state.interactions[0] ?? expect.fail());
  expect(settled).toMatch(/^\*\*Settled:\*\* approved the plan by ada\.\n/);
  expect(lengthOf(settled)).toBeLessThan(maxBody - 500);
  const check = decisionCheck(planned(text).state, web);
  expect(check.summary).toContain('`/approve`');
  expect(new TextEncoder().encode(check.summary).length).toBeLessThan(65_535);
});

test.each(harmful)('a plan with %s stays a quotation', (_, text, forbidden) => {
  const { state } = planned(text);
  for (const shown of [askText(state, web), decisionCheck(state, web).summary]) {
    expect(shown).not.toMatch(forbidden);
    const [, of = ''] = shown.split(/The plan:\n\n|\n\n(?:Available now|Comment a command|This is only)/);
    expect(of.split('\n').filter((line) => !line.startsWith('>'))).toEqual([]);
  }
});

test.each(harmful)('a dropped file with %s in its name stays a name in one line', (_, text) => {
  const asked = askText(planned('Pin it.', [text]).state, web);
  const [, of = ''] = asked.split(/was dropped:\n\n|\n\nAvailable now/);
  expect(of).toMatch(/^- (`+) ?[^\n]* ?\1$/);
});

test('a stage that failed its check is named among the attempts, and what is on show in the table', () => {
  const run = story({ stages: threeStages, attempts: { max: 1 } })
    .starts()
    .agent.fails('stage_check', 'there is no `a|b`');
  expect(askText(run.state, web)).toContain('| 1, tests | – | – | there is no \\`a\\|b\\` |');
  const { state } = planned('Pin it.');
  expect(writeBlock('', state)).toContain('| 0 | Fix the flaky test | ada | waits for approval |');
});

test('what is refused comes with a way on', () => {
  const suggestions = { possible: ['approve'], web } as const;
  expect(refusalText({ why: 'just_shown' }, suggestions)).toMatchInlineSnapshot(
    `"What is under review now appeared just before you commented, so you may not have seen it. Once you have read it, use \`/approve\` again."`,
  );
  expect(refusalText({ why: 'no_such_concern', named: 'c7', open: [] }, suggestions)).toMatchInlineSnapshot(
    `"There is no concern \`c7\`: the second opinion on this commit has none that is open."`,
  );
  expect(
    refusalText({ why: 'no_such_concern', named: 'c7', open: ['c1', 'c2'] }, suggestions),
  ).toMatchInlineSnapshot(
    `"There is no open concern \`c7\`. Use \`/dismiss\` with one of these: \`c1\`, \`c2\`."`,
  );
});
