import { describe, expect, test } from 'vitest';
import { viewOf } from '../../src/github/show/view.ts';
import { advisableTo } from '../../src/steering/phases/table.ts';
import type { ApprovalWay } from '../../src/steering/shapes/settings.ts';
import { refusalText, statusText, whyText } from '../../src/words/index.ts';
import { ada, bob, settingsOf } from './samples.ts';
import { type Story, story } from './story.ts';

const web = 'https://github.com/acme/widgets';

function rules(
  how: readonly ApprovalWay[],
  approval: Partial<ReturnType<typeof settingsOf>['approval']> = {},
) {
  return { approval: { ...settingsOf({}).approval, ...approval, how } };
}

const shown = (...how: ApprovalWay[]) => story(rules(how)).starts().works();

const words = ({ refusal, replies }: Story) => {
  if (refusal === undefined) throw new Error(`nothing was refused, but: ${JSON.stringify(replies)}`);
  return refusalText(refusal, { possible: [], web });
};

function buttons({ state }: Story): readonly string[] {
  return (viewOf(state, web).checks[0]?.actions ?? []).map(({ identifier }) => identifier);
}

describe('where only clicks approve', () => {
  test('a comment is refused and says where the button is, and the click then approves', () => {
    const run = shown('button').says(bob, '/approve');
    expect(run.phase).toBe('awaiting_approval');
    expect(words(run)).toMatchInlineSnapshot(
      `"A comment does not approve anything here, because \`approval.how\` leaves it out. Use the button Approve on the [Checks tab](https://github.com/acme/widgets/pull/7/checks)."`,
    );
    expect(run.clicks(bob, 'approve').phase).toBe('approved');
  });

  test('an approving review is refused, too', () => {
    const run = shown('button').reviews(bob, 'approves');
    expect(words(run)).toMatchInlineSnapshot(
      `"A review does not approve anything here, because \`approval.how\` leaves it out. Use the button Approve on the [Checks tab](https://github.com/acme/widgets/pull/7/checks)."`,
    );
  });

  test('people are told so where they are asked, and no door offers what would be refused', () => {
    const { state } = shown('button');
    expect(viewOf(state, web).ask?.text).toContain(
      'Approval takes a click on Approve: a comment does not count.',
    );
    expect(viewOf(state, web).ask?.text).not.toContain('- `/approve');
    expect(whyText(state, web)).toContain(
      'one approval from someone with write access, by a click on Approve',
    );
    expect(statusText(state)).not.toContain('/approve');
    expect(advisableTo(state, { by: ada, at: state.updated_at })).not.toContain('approve');
    expect(buttons(shown('button'))).toContain('approve');
  });

  test('nobody goes past a failed verifier, so that there is no button for it either', () => {
    const run = shown('button').pushes(bob);
    run.verifiers.fail('test');
    expect(buttons(run)).not.toContain('approve');
    expect(whyText(run.state, web)).not.toContain('--despite');
    expect(words(run.clicks(ada, 'approve'))).toMatchInlineSnapshot(
      `"Required verifiers failed: \`test\`. Nobody can override them here, because a click names no verifier."`,
    );
  });

  test('a stage takes a click as well', () => {
    const run = story({
      ...rules(['button']),
      stages: [{ name: 'plan', approve: true }, { name: 'implement' }],
    });
    run.starts().agent.finishes();
    expect(words(run.says(bob, '/approve'))).toContain('the button Approve');
  });
});

test('where only reviews approve, neither a comment nor a click does, and there is no button', () => {
  const run = shown('review');
  expect(buttons(run)).not.toContain('approve');
  expect(words(run.says(bob, '/approve'))).toMatchInlineSnapshot(
    `"A comment does not approve anything here, because \`approval.how\` leaves it out. Use an approving review."`,
  );
  expect(run.clicks(bob, 'approve').phase).toBe('awaiting_approval');
  expect(run.reviews(bob, 'approves').phase).toBe('approved');
});

test('what the ledger holds is dropped by the final check if it no longer counts', () => {
  const run = story(rules(['comment', 'button']))
    .starts()
    .works()
    .says(bob, '/approve');
  const settings = { ...run.state.settings, ...rules(['button']) };
  run.confirms({ settings });
  expect(run.replies.at(-1)).toMatchObject({
    say: 'finish_refused',
    reasons: ['the approval by bob is a comment, which approval.how does not count'],
  });
});
