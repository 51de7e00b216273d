import { afterEach, expect, test, vi } from 'vitest';
import { runCommand } from '../../../src/cli/program.ts';

// The demo's agent is slow, so that people can watch it.
vi.setConfig({ testTimeout: 180_000 });

afterEach(() => vi.restoreAllMocks());

test('Flaky sum: a gate names the deleted test, and the reason of the rejection reaches the next run', async () => {
  const { text, json } = await played('flaky');
  expect(
    inOrder(
      text,
      '> All green',
      '`weakens-tests`: [`test/sum.test.js`](',
      '(line 8 before the change): the test "prices may come in any order" is deleted',
    ),
  ).toBe(true);
  const after = text.slice(text.indexOf('/reject The test found a real bug'));
  expect(after).toMatch(/#\d is rejected[\s\S]*ada labels issue #2 [\s\S]*opened draft pull request #8/);
  expect(after).toMatch(/Whole cents add up[\s\S]*The test found a real bug: fix the sum/);
  expect(after).not.toContain('test/sum.test.js is deleted');
  expect(json).toMatchObject({ phase: 'approved', pull_request: { number: 8, draft: false } });
});

test('Upgrade: lint is red after every attempt, and a maintainer approves despite it', async () => {
  const { text, json } = await played('upgrade');
  expect(text).toContain('attempt 3 came to the same files as attempt 1, and lint failed on them again');
  // The label of the phase may be skipped: the maintainer answers the question, which is asked before it is set.
  expect(inOrder(text, '| /approve ', '--despite lint', '#7 is approved')).toBe(true);
  expect(text).toMatch(
    /^ {2}Ask a human: attempt 3 came to the same files as attempt 1, and lint failed on them again$/m,
  );
  expect(json).toMatchObject({ phase: 'approved', attempts: 3, pull_request: { draft: false } });
  expect(json.check_runs).toContainEqual(
    expect.objectContaining({ name: 'Coxswain / test', conclusion: 'failure' }),
  );
});

test('Question: the agent is stopped, and goes on from its work as it was answered', async () => {
  const { text, json } = await played('question');
  const parts = ['How should half a cent of tax be rounded?', '**2.** Half to even', '| /answer 2'];
  expect(inOrder(text, ...parts, 'half a cent is rounded to even, as you answered')).toBe(true);
  const [, asked = '', finished = ''] = text.split('notification to the team:\n');
  expect(asked).toMatch(/^(?: {2}> .*\n)*? {2}> .*How should half a cent of tax be rounded\?/);
  expect(asked).toMatch(/^ {2}> http:\/\/127\.0\.0\.1:\d+\/acme\/widgets\/pull\/7/m);
  expect(finished).toMatch(/^ {2}> acme\/widgets#7: Coxswain finished Show the tax on a receipt\n/);
  expect(text).toMatch(/Wait for an answer to the agent[\s\S]*ada answered: Half to even/);
  const after = text.slice(text.indexOf('| /answer 2'));
  // The file of before the question is in the change, and nobody wrote it once more.
  expect(after).toContain('`src/tax.js (added');
  expect(after).not.toContain('Edit src/tax.js');
  expect(after).toContain('0 of 2 retries used');
  expect(json).toMatchObject({ phase: 'approved', pull_request: { draft: false } });
});

test('Plan: a plan is steered and approved before a line is written, and a second opinion is dealt with', async () => {
  const { text, json } = await played('plan');
  const plan = ['| ### A plan waits for approval', '`shipping(euros)`', '| /steer Calculate in whole cents'];
  const approved = ['| ### A plan waits for approval', '`shipping(cents)`', '| /approve'];
  const found = [
    '**c1** medium: `src/shipping.js:3` An order of nothing',
    '| /steer Deal with what the second',
  ];
  expect(inOrder(text, ...plan, ...approved, ...found, 'confidence is 0.95, with no open concern')).toBe(
    true,
  );
  expect(text).toMatch(/^ {2}The plan is approved by ada$/m);
  const before = text.slice(0, text.lastIndexOf('| ### A plan waits for approval'));
  expect(before).not.toContain('Edit src/shipping.js');
  expect(json).toMatchObject({ phase: 'approved', pull_request: { draft: false } });
});

test('Queue: two runs are approved, tested together, and merged in their order', async () => {
  const { text, json } = await played('queue');
  expect(inOrder(text, '#3 is in the merge queue', '#3 is merged', '#4 is merged')).toBe(true);
  expect(text).toMatch(/^ {2}check "Coxswain" on \w+: success, Approved and verified$/m);
  expect(text).toMatch(/^ {2}Merged by github-merge-queue\[bot\]$/m);
  expect(json).toMatchObject({ phase: 'done', pull_request: { number: 4, state: 'closed' } });
});

async function played(story: string) {
  const [out, err] = [heard(process.stdout), heard(process.stderr)];
  expect(await runCommand(['demo', '--headless', '--json', '--story', story])).toBe(0);
  return { text: err.join(''), json: JSON.parse(out.join('')) as { readonly check_runs: readonly object[] } };
}

function heard(stream: Pick<typeof process.stdout, 'write'>): readonly string[] {
  const texts: string[] = [];
  vi.spyOn(stream, 'write').mockImplementation((text) => texts.push(String(text)) > 0);
  return texts;
}

function inOrder(text: string, ...parts: readonly string[]): boolean {
  let at = -1;
  return parts.every((part) => {
    at = text.indexOf(part, at + 1);
    return at >= 0;
  });
}
