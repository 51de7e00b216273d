import { expect, test } from 'vitest';
import type { Track, Words } from '../../../src/app/app.ts';
import { stories } from '../../../src/cli/demo/stories/index.ts';
import { guideTo } from '../../../src/cli/demo/story-guide.ts';
import type { RunIdentity } from '../../../src/steering/shapes/task.ts';
import { ada, type Choices, planFirst } from '../../steering/samples.ts';
import { type Story, story } from '../../steering/story.ts';

/** What the demo says is to be tried next, as its stories are played. */

const stage = {
  ...{ stories, owner: 'acme', repo: 'widgets', web: () => 'http://github.test' },
  ...{ own: null, hasSandbox: () => true },
};
const names = { owner: 'acme', repo: 'widgets' } as const;
const maintainer = { ...ada, role: 'maintain' } as const;
const deletedTest = {
  rule: 'weakens-tests',
  severity: 'high',
  evidence: 'test/sum.test.js is deleted',
} as const;

test('Discount says in each phase what holds in it, and ticks only what has happened', () => {
  const run = started(1, 4);
  expect(told(run)).toEqual([
    '✓ Start ▸ Red, then green · Steer · Approve · Push yourself · Approve again · Merge',
    'Watch it: the first attempt fails a test, and the next one fixes it.',
  ]);
  run.works();
  expect(told(run)).toEqual([
    '✓ Start ✓ Red, then green ▸ Steer · Approve · Push yourself · Approve again · Merge',
    'Green. Steer it in the box of the run: write `also handle an empty list`.',
  ]);
  run.says(ada, '/steer also handle an empty list');
  expect(told(run)[1]).toBe('The agent follows your words: watch it.');
  run.works();
  expect(told(run)).toEqual([
    '✓ Start ✓ Red, then green ✓ Steer ▸ Approve · Push yourself · Approve again · Merge',
    'Read what changed since iteration 0, then approve it.',
  ]);
  run.says(ada, '/approve').confirms();
  expect(told(run)).toEqual([
    '✓ Start ✓ Red, then green ✓ Steer ✓ Approve ▸ Push yourself · Approve again · Merge',
    'Approved, and only this commit. Change README.md on its branch and commit it: the approval is withdrawn.',
  ]);
  run.pushes(ada);
  expect(told(run)[1]).toBe('No approval counts for the new commit. The verifiers come first.');
  run.engine.takes();
  run.verifiers.pass();
  expect(told(run)).toEqual([
    '✓ Start ✓ Red, then green ✓ Steer ✓ Approve ✓ Push yourself ▸ Approve again · Merge',
    'It is verified, and not approved: approve the commit that the button names.',
  ]);
  run.says(ada, `/approve ${run.state.head}`).confirms();
  expect(told(run)[0]).toContain('✓ Approve again ▸ Merge');
  run.merges(ada);
  expect(told(run)).toEqual([
    '✓ Start ✓ Red, then green ✓ Steer ✓ Approve ✓ Push yourself ✓ Approve again ✓ Merge',
    'Merged. The record is what Git keeps of it. Next: Flaky sum.',
  ]);
});

test('what was left out of a story is never ticked', () => {
  const run = started(1, 4).works().says(ada, '/approve').confirms().merges(ada);
  expect(told(run)[0]).toBe(
    '✓ Start ✓ Red, then green · Steer ✓ Approve · Push yourself · Approve again ✓ Merge',
  );
});

test('links lead to the run, to what changed on GitHub, and to the form that changes its branch', () => {
  const run = started(1, 4).works().says(ada, '/steer more').works();
  const { head_after: first } = run.state.iterations[0] ?? {};
  const since = `http://github.test/acme/widgets/compare/${first}...${run.state.head}`;
  expect(links(run)).toEqual([since, '/acme/widgets/pull/4#commands']);
  run.says(ada, '/approve').confirms();
  const edit = `http://github.test/acme/widgets/edit/${run.state.run.branch}/README.md`;
  expect(links(run)).toEqual([edit]);
});

test('Flaky sum asks for a reason, and sees it work in the next run', () => {
  const first = started(2, 5);
  first.agent.finishes();
  first.verifiers.pass([deletedTest]);
  expect(told(first)).toEqual([
    '✓ Start ✓ “All green” ▸ Reject · Start again · The cause is fixed · Approve · Merge',
    '“All green”, but a gate names the test that it deleted. Reject it and say why: `The test found a real bug: fix the sum`.',
  ]);
  expect(links(first).at(-1)).toBe('/acme/widgets/pull/5#reject-reason');
  first.says(ada, '/reject The test found a real fault');
  expect(told(first)).toEqual([
    '✓ Start ✓ “All green” ✓ Reject ▸ Start again · The cause is fixed · Approve · Merge',
    'The next agent is told your reason. It begins with `/run` on the issue.',
  ]);
  const second = started(2, 6);
  expect(told(first, second)[0]).toContain('✓ Start again ▸ The cause is fixed');
  second.works();
  expect(told(first, second)).toEqual([
    '✓ Start ✓ “All green” ✓ Reject ✓ Start again ✓ The cause is fixed ▸ Approve · Merge',
    'Its report quotes your reason, and its change keeps the test. Approve it.',
  ]);
  second.says(ada, '/approve');
  expect(told(first, second)[1]).toBe('Approved. Coxswain compares the approval with GitHub once more.');
  second.confirms();
  expect(links(first, second)).toEqual(['http://github.test/acme/widgets/pull/6#partial-pull-merging']);
  expect(told(first, second)[1]).toBe("Approved, and ready for review: merge it on GitHub's side.");
});

test('Upgrade leaves the decision to a maintainer', () => {
  const verifiers = ['test', 'lint'].map((name) => ({ name, run: name, timeout_s: 60, required: true }));
  const run = started(3, 6, { verifiers });
  for (const _ of [1, 2, 3]) {
    run.agent.finishes();
    run.verifiers.fail('lint');
  }
  expect(run.phase).toBe('awaiting_resolution');
  expect(told(run)).toEqual([
    '✓ Start ✓ Red to the end ▸ Approve despite lint · Merge',
    'The agent goes in circles and lint is red, so a human decides. As a maintainer, override it with a button or with `/approve --despite lint`.',
  ]);
  run.says(maintainer, '/approve --despite lint').confirms();
  expect(told(run)[0]).toBe('✓ Start ✓ Red to the end ✓ Approve despite lint ▸ Merge');
});

test('Question says whether the agent is held or stopped, and how to answer', () => {
  const run = started(4, 7).engine.takes();
  expect(told(run)[0]).toBe('✓ Start ▸ Read the question · Answer · Approve · Merge');
  run.agent.wonders('How?', ['Half up', 'Half to even']);
  expect(told(run)[0]).toBe('✓ Start ✓ Read the question ▸ Answer · Approve · Merge');
  expect(told(run)[1]).toContain('It waits for a moment');
  run.agent.parks('question');
  expect(told(run)[1]).toContain('It was stopped and keeps what it has done');
  run.says(ada, '/answer 2');
  expect(told(run)).toEqual([
    '✓ Start ✓ Read the question ✓ Answer ▸ Approve · Merge',
    'The agent continues where it was, with your answer: watch it.',
  ]);
  run.works();
  expect(told(run)[1]).toBe(
    'It rounds as you said, and what it began before is still there. Read it, then approve it.',
  );
});

test('Plan follows a plan from its first words to the work, and the concern of a second agent', () => {
  const reviewer = { agent: { use: 'codex', timeout_s: 60 } } as const;
  const concern = {
    file: 'src/shipping.js',
    line: 3,
    severity: 'medium',
    text: 'Nothing costs 4.90.',
  } as const;
  const given = { by: 'codex', confidence: 0.7, resolved: [], withdrawn: [], touched: [] };
  const run = started(6, 12, { stages: planFirst, review: reviewer });
  const rest = 'Approve the plan · Second opinion · Have it dealt with · Approve · Merge';
  expect(told(run)[1]).toBe('Watch it: it writes a plan, and no code.');
  run.agent.plans('1. In euros.');
  expect(told(run)).toEqual([
    `✓ Start ✓ Read the plan ▸ Steer it · ${rest}`,
    'The plan calculates in euros, and not a line is written yet. Steer it: `/steer Calculate in whole cents, as receipts do`.',
  ]);
  run.says(ada, '/steer Calculate in whole cents, as receipts do');
  expect(told(run)[1]).toBe('Watch it: it rewrites the plan with your words.');
  run.agent.plans('1. In cents.');
  expect(told(run)).toEqual([
    `✓ Start ✓ Read the plan ✓ Steer it ▸ ${rest}`,
    'The plan is different now. Approve it: the work begins, and that approves no code.',
  ]);
  run.clicks(ada, 'approve');
  expect(told(run)[0]).toContain('✓ Approve the plan ▸ Second opinion');
  expect(told(run)[1]).toContain('it follows the plan');
  run.agent.finishes();
  run.verifiers.find({ review: { ...given, concerns: [concern] } });
  expect(told(run)[0]).toContain('✓ Second opinion ▸ Have it dealt with');
  expect(told(run)[1]).toContain('`/steer Deal with what the second opinion found:');
  expect(told(run)[1]).toContain('- src/shipping.js:3: Nothing costs 4.90.');
  run.says(ada, '/steer Deal with what the second opinion found').agent.finishes();
  expect(told(run)[1]).toBe('The agent deals with the concern: watch it.');
  run.verifiers.find({ review: { ...given, concerns: [], resolved: ['c1'] } });
  expect(told(run)).toEqual([
    expect.stringContaining('✓ Have it dealt with ▸ Approve'),
    'The concern is gone, and the plan has been followed. Read the change, then approve it.',
  ]);
});

test('before a story has begun it says what it is about, and where to start it', () => {
  const tracks = guideTo(stage)({ at: null, runs: [] })?.tracks ?? [];
  expect(tracks.map(({ name, href }) => `${name} ${href}`)).toEqual([
    'Discount /acme/widgets/issues/1',
    'Flaky sum /acme/widgets/issues/2',
    'Upgrade /acme/widgets/issues/3',
    'Question /acme/widgets/issues/4',
    'Replace /acme/widgets/issues/5',
    'Plan /acme/widgets/issues/6',
    'Queue /acme/gadgets/issues/1',
  ]);
  for (const { now } of tracks) expect(text(now)).toMatch(/\. It begins with a run on issue #\d\.$/);
});

test('whoever leaves a story is told where they are', () => {
  const cancelled = started(1, 4).says(ada, '/cancel');
  expect(told(cancelled)[1]).toBe(
    'This run has ended without a merge. Start another run to play the story to its end.',
  );
  const deleted = started(3, 6).works().deletesBranch(ada);
  expect(told(deleted)[1]).toBe('It has stopped: its page says why.');
});

test('the last story says that it was the last', () => {
  const widgets = [1, 2, 3, 4, 5, 6].map((issue) => started(issue, issue + 6));
  const merged = [...widgets, gadget(1, 3), gadget(2, 4)].map((run) =>
    run.works().says(ada, '/approve').confirms().merges(ada),
  );
  const { tracks } = guideTo(stage)({ at: null, runs: merged.map(({ state }) => state) }) ?? { tracks: [] };
  for (const { now } of tracks) expect(text(now)).toContain('That was the last of the seven');
});

test('a replaced task is not over with the first of its parts', () => {
  const merges = (run: Story) => run.works().says(ada, '/approve').confirms().merges(ada);
  const others = [1, 2, 3, 4, 6].map((issue) => started(issue, issue + 5));
  const over = [...others, gadget(1, 3), gadget(2, 4)].map((run) => merges(run).state);
  const first = merges(started(5, 10)).state;
  const runs = [...over, first, started(5, 11).works().state];
  const { tracks } = guideTo(stage)({ at: null, runs }) ?? { tracks: [] };
  expect(text(tracks[0]?.now ?? [])).toMatch(/Next: Replace\.$/);
});

test('Queue starts two runs, and is over when both have gone through the queue', () => {
  const [one, two] = [gadget(1, 3), gadget(2, 4)];
  const at = { ...names, repo: 'gadgets', number: 1 };
  const said = (...runs: readonly Story[]) => {
    const { tracks = [] } = guideTo(stage)({ at, runs: runs.map(({ state }) => state) }) ?? {};
    const { steps = [], now = [] } = tracks.find(({ isHere }) => isHere) ?? {};
    return [steps.map((step) => `${marks[step.status]} ${step.text}`).join(' '), text(now)];
  };
  expect(said(one)).toEqual([
    '✓ Start ▸ Start another · Approve both · Merged by the queue',
    'Start another run, on issue #2: both are to be merged.',
  ]);
  one.works().says(ada, '/approve').confirms();
  expect(said(one, two)[1]).toBe('Fix the flaky test is at work.');
  two.works();
  expect(said(one, two)).toEqual([
    '✓ Start ✓ Start another ▸ Approve both · Merged by the queue',
    'Fix the flaky test is finished: read it, then approve it.',
  ]);
  two.says(ada, '/approve').confirms();
  const place = 'Approved, so Coxswain puts it into the merge queue and verifies what would be merged.';
  expect(said(one, two)).toEqual(['✓ Start ✓ Start another ✓ Approve both ▸ Merged by the queue', place]);
  one.merges(ada);
  expect(said(one, two)[1]).toBe(place);
  expect(said(one)[1]).toBe('Start another run, on issue #2: both are to be merged.');
  two.merges(ada);
  expect(said(one, two)).toEqual([
    '✓ Start ✓ Start another ✓ Approve both ✓ Merged by the queue',
    'Merged. The record is what Git keeps of it. Next: Discount.',
  ]);
});

test('a page is about the story of its issue and of its runs', () => {
  const run = started(2, 12);
  const here = (number: number) =>
    guideTo(stage)({ at: { ...names, number }, runs: [run.state] })
      ?.tracks.filter(({ isHere }) => isHere)
      .map(({ name }) => name);
  expect([2, 12, 1, 9].map(here)).toEqual([['Flaky sum'], ['Flaky sum'], ['Discount'], []]);
});

test("somebody's own repository has no stories, whatever the numbers of its issues", () => {
  const own = { owner: 'acme', repo: 'my-project' };
  const run = story().starts({ ...own, issue: 1, number: 2, id: 'acme/my-project#2' });
  const runs = [run.state];
  expect(guideTo(stage)({ at: { ...own, number: 1 }, runs })).toBeNull();
  const steps = guideTo(stage)({ at: null, runs })?.tracks.flatMap((track) => track.steps) ?? [];
  expect(steps.filter(({ status }) => status === 'done')).toEqual([]);
});

test('it names the repository that somebody brought, and says where nothing contains agents', () => {
  const saidOf = (other: Partial<Parameters<typeof guideTo>[0]>) =>
    (guideTo({ ...stage, ...other })({ at: null, runs: [] })?.intro ?? [])
      .map((part) => (typeof part === 'string' ? part : 'type' in part ? part.type : part.text))
      .join('');
  const brought = saidOf({ own: 'acme/my-project', hasSandbox: () => false });
  expect(brought).toContain(
    'Your own repository is acme/my-project: write an issue and put the label coxswain',
  );
  expect(brought).toMatch(/There is no sandbox on this machine, .* bubblewrap provides one\.$/);
  expect(saidOf({})).not.toMatch(/sandbox|Your own/);
});

/** A run of an issue of the demo. */
function started(issue: number, number: number, choices: Choices = {}): Story {
  const identity: Partial<RunIdentity> = { ...names, issue, number, id: `acme/widgets#${number}` };
  return story(choices).starts(identity);
}

/** A run of an issue in the repository with a merge queue. */
function gadget(issue: number, number: number): Story {
  const identity: Partial<RunIdentity> = { ...names, repo: 'gadgets', issue, number };
  return story().starts({ ...identity, id: `acme/gadgets#${number}` });
}

function trackOf(...runs: readonly Story[]): Track {
  const states = runs.map(({ state }) => state);
  const issue = states[0]?.run.issue ?? 0;
  const track = guideTo(stage)({ at: { ...names, number: issue }, runs: states })?.tracks.find(
    ({ isHere }) => isHere,
  );
  if (track === undefined) throw new Error(`no story is about #${issue}`);
  return track;
}

const marks = { done: '✓', now: '▸', later: '·' } as const;

/** The steps, and what is said about the next one. */
function told(...runs: readonly Story[]): readonly [string, string] {
  const { steps, now } = trackOf(...runs);
  return [steps.map((step) => `${marks[step.status]} ${step.text}`).join(' '), text(now)];
}

function text(words: readonly Words[]): string {
  return words
    .map((each) => (typeof each === 'string' ? each : 'type' in each ? `\`${each.type}\`` : each.text))
    .join('');
}

function links(...runs: readonly Story[]): readonly string[] {
  return trackOf(...runs).now.flatMap((each) =>
    typeof each === 'object' && 'href' in each ? each.href : [],
  );
}
