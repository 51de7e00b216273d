import { expect, test } from 'vitest';
import { type AgentFixture, agentFixture, verifyBy } from './agent-fixture.ts';
import { commitOn } from './commit-on.ts';

const against = { settings: { verify_against: 'merge' } } as const;

test('verifiers see what a merge makes of the head and the tip of the base', async () => {
  const { on, head, tip } = await diverged({ 'a.txt': 'head\n' }, { 'b.txt': 'base\n' });
  const run = { test: 'cat a.txt b.txt && git log -1 --format=%P' };
  const outcome = await verifyBy(run, on, { ...against, commit: head });
  expect(outcome).toMatchObject({
    kind: 'verified',
    head,
    merged_with: tip,
    verifiers: [{ stdout: `head\nbase\n${tip} ${head}\n`, success: true }],
    changes: { files: [{ path: 'a.txt' }] },
  });
  const alone = await verifyBy(run, on, { commit: head });
  expect(alone).toMatchObject({ verifiers: [{ success: false }] });
  expect(alone).not.toHaveProperty('merged_with');
});

test('what is fine alone and breaks together is red, and the base is the one that is merged with', async () => {
  const { on, head, tip } = await diverged({ 'calls.txt': 'old\n' }, { 'old.txt': null });
  const outcome = await verifyBy({ test: 'test ! -f calls.txt -o -f old.txt' }, on, {
    ...against,
    commit: head,
  });
  expect(outcome).toMatchObject({
    verifiers: [{ success: false }],
    baseline: { base: tip, run: { verifiers: [{ success: true }] } },
  });
});

test('a conflict is a reason to ask, with the files and what to do', async () => {
  const { on, head, tip } = await diverged({ 'old.txt': 'head\n' }, { 'old.txt': 'base\n' });
  expect(await verifyBy({ test: 'true' }, on, { ...against, commit: head })).toMatchObject({
    kind: 'failed',
    failure: {
      kind: 'conflict',
      message:
        `Git cannot merge this with main at ${tip.slice(0, 7)}. Conflicts, with who changed them on main since:\n\n` +
        `- old.txt\n    ${tip.slice(0, 7)} Eve: Change\n\n` +
        '/update --resolve lets the agent resolve it, in one attempt. By hand: merge main into ' +
        'coxswain/fix-the-sum-1, resolve the conflicts and push; the new head is then verified:\n\n' +
        'git fetch origin && git switch coxswain/fix-the-sum-1 && git pull && git merge origin/main',
    },
  });
});

test('the tests are proven against the tip of the base', async () => {
  const { on, head } = await diverged(
    { 'a.txt': 'head\n', 'test/a.test.sh': 'grep -q head a.txt && test -f b.txt\n' },
    { 'b.txt': 'base\n' },
  );
  const settings = { ...against.settings, proof: 'on' } as const;
  const run = { test: 'for each in test/*.sh; do test ! -f $each || sh $each || exit 1; done' };
  expect(await verifyBy(run, on, { settings, commit: head })).toMatchObject({
    proof: {
      tests: ['test/a.test.sh'],
      old_tests: { verifiers: [{ success: true }] },
      without_change: { verifiers: [{ success: false }] },
    },
  });
});

type Files = Record<string, string | null>;

/** A head and the tip of its base, which both have gone on. */
async function diverged(
  onHead: Files,
  onBase: Files,
): Promise<{ on: AgentFixture; head: string; tip: string }> {
  const on = await agentFixture({ 'old.txt': 'old\n' });
  const head = commitOn(on, onHead);
  const tip = commitOn(on, onBase);
  on.git('update-ref', 'refs/heads/main', tip);
  return { on, head, tip };
}
