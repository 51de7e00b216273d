import { expect, test } from 'vitest';
import { briefLine, briefLines } from '../../src/notify/notifier.ts';
import { type Announcement, announcements, approvalRequestOf } from '../../src/steering/announcements.ts';
import { decide } from '../../src/steering/decide.ts';
import { deadlines } from '../../src/steering/handlers/deadlines.ts';
import type { State } from '../../src/steering/state/state.ts';
import { notificationText } from '../../src/words/notification.ts';
import { at, aVerifier, awaiting, head, shownAt, web } from '../github/show/state.ts';
import { ada, bob, planFirst } from '../steering/samples.ts';
import { type Story, story } from '../steering/story.ts';
import { harmful } from './harmful.ts';

/** What a target is told, which is sent no more than this of a text. */
function shownOf(announcement: Announcement, state: State) {
  const { title, lines, url } = notificationText(announcement, state, web);
  return { title: briefLine(title), lines: briefLines(lines), url };
}

/** What targets are told of a run, as one text: each announcement with its lines below it. */
function told({ events }: Story): string {
  let state: State | undefined;
  const texts = events.flatMap((event) => {
    const verdict = decide(state, event);
    if (verdict.outcome === 'nothing') return [];
    const before = state;
    const after = verdict.state;
    state = after;
    return announcements(before, after, event).map((each) => {
      const { title, lines } = shownOf(each, after);
      return [title, ...lines].join('\n  ');
    });
  });
  return texts.join('\n');
}

/** The last thing that is told. */
const last = (run: Story) =>
  told(run)
    .split(/\n(?! {2})/)
    .at(-1);

test('a run that is steered, approved and merged', () => {
  const run = story().starts().works().says(ada, '/steer also this, please').works();
  expect(told(run.says(bob, '/approve').confirms().merges(bob))).toMatchInlineSnapshot(`
    "acme/service#7: Run started: Fix the flaky test
      Requested by ada
    acme/service#7: Iteration 0, attempt 1 has begun
    acme/service#7: Iteration 0, attempt 1: passed
    acme/service#7: Coxswain finished Fix the flaky test
      Waiting for approval: confidence 1.00, high
      In the words of the agent:
      > Pinned the clock.
      service: 1 file changed, +3, -1
      - src/clock.ts (modified, +3/-1)
      [PASS] service:test (exit code: 0)
      [PASS] service:lint (exit code: 0)
      Confidence 1.00, high: 2 of 2 verifiers passed, 0 of 2 retries used, no destructive changes, no tool calls reported, which counts as no evidence. A human has to decide.
      Approvals: 0 of 1
      Deadline: 2025-03-04 12:03:00 UTC
      On GitHub you can say: /steer, /approve, /reject, /cancel, /retry, /spawn, /verify, /update, /pause, /interrupt, /extend
    acme/service#7: ada steered it, in 17 characters
    acme/service#7: Iteration 1, attempt 1 has begun
    acme/service#7: Iteration 1, attempt 1: passed
    acme/service#7: Steering iteration 1 complete
      Waiting for approval: confidence 1.00, high
      Task: Fix the flaky test
      In the words of the agent:
      > Pinned the clock.
      service: 1 file changed, +3, -1
      - src/clock.ts (modified, +3/-1)
      [PASS] service:test (exit code: 0)
      [PASS] service:lint (exit code: 0)
      Confidence 1.00, high: 2 of 2 verifiers passed, 0 of 2 retries used, no destructive changes, no tool calls reported, which counts as no evidence. A human has to decide.
      Approvals: 0 of 1
      Deadline: 2025-03-04 12:07:00 UTC
      On GitHub you can say: /steer, /approve, /reject, /cancel, /retry, /spawn, /verify, /undo, /update, /pause, /interrupt, /extend
    acme/service#7: bob approved abc0002
      Approved by: bob
      Final check: in progress
    acme/service#7: Merged
      Task: Fix the flaky test"
  `);
});

test('an interrupt and its end', () => {
  const run = story({ attempts: { max: 1 } })
    .starts()
    .agent.finishes()
    .verifiers.fail('test');
  expect(told(run.says(ada, '/retry'))).toMatchInlineSnapshot(`
    "acme/service#7: Run started: Fix the flaky test
      Requested by ada
    acme/service#7: Iteration 0, attempt 1 has begun
    acme/service#7: Iteration 0, attempt 1: verifiers failed
      test failed
    acme/service#7: Task Requires Human Review
      Task: Fix the flaky test
      [FAIL] service:test (exit code: 1)
      Why: test still failing after 1 of 1 attempts
      Or: /approve --despite test by someone with maintain access marks it as ready to merge as it stands
      Deadline: 2025-03-04 12:03:00 UTC
      On GitHub you can say: /retry, /spawn, /abandon, /steer, /approve, /reject, /cancel, /verify, /update, /pause, /extend
    acme/service#7: Interrupt: retried by ada"
  `);
});

test('held work, and a tool call', () => {
  expect(told(story().starts().agent.isHeld().says(ada, '/allow'))).toMatchInlineSnapshot(`
    "acme/service#7: Run started: Fix the flaky test
      Requested by ada
    acme/service#7: Iteration 0, attempt 1 has begun
    acme/service#7: Iteration 0, attempt 1: passed
    acme/service#7: Waiting for permission to push
      Task: Fix the flaky test
      Held: abc0001, 1 file changed, +3, -1
      Because: changes-automation: .github/workflows/ci.yml is added
      Deadline: 2025-03-04 12:02:00 UTC
      On GitHub you can say: /allow, /deny, /steer, /retry, /reject, /cancel, /pause, /extend
    acme/service#7: Permission: allowed once by ada"
  `);
  expect(told(story().starts().engine.takes().agent.asks().says(ada, '/deny'))).toMatchInlineSnapshot(`
    "acme/service#7: Run started: Fix the flaky test
      Requested by ada
    acme/service#7: Iteration 0, attempt 1 has begun
    acme/service#7: Waiting for permission: rm -rf build
      Task: Fix the flaky test
      The agent asks: rm -rf build
      Because: deletes-files: rm -rf build
      It waits until: 2025-03-03 12:04:00 UTC
      On GitHub you can say: /steer, /reject, /cancel, /allow, /deny, /update, /pause, /interrupt, /extend
    acme/service#7: Permission: denied by ada"
  `);
});

test('a question, to an agent that is held or was stopped, and its answer', () => {
  const run = story().starts().agent.wonders('Which one?\nI cannot tell.', ['the left', 'the right']);
  expect(last(run)).toMatchInlineSnapshot(`
    "acme/service#7: The agent asks: Which one? I cannot tell.
      Task: Fix the flaky test
      The agent asks: Which one?
        | I cannot tell.
        1. the left
        2. the right
      On GitHub you can say: /answer, /steer, /reject, /cancel, /update, /pause, /interrupt, /extend"
  `);
  expect(last(run.agent.parks())).toMatchInlineSnapshot(`"acme/service#7: Iteration 0, attempt 1: stopped"`);
  expect(told(run.says(ada, '/answer 2'))).toContain(last(run));
});

test('a plan, and its approval', () => {
  const run = story({ stages: planFirst }).starts().agent.plans('1. Look\n2. Mend');
  expect(last(run)).toMatchInlineSnapshot(`
    "acme/service#7: A plan waits for approval
      Task: Fix the flaky test
      In the words of the agent:
      > 1. Look
      > 2. Mend
      Approving it starts the stage implement. This does not approve any code: the finished work is decided on later, as usual.
      Deadline: 2025-03-04 12:02:00 UTC
      On GitHub you can say: /approve, /steer, /reject, /cancel, /pause, /interrupt, /extend"
  `);
  expect(last(run.says(ada, '/approve'))).toMatchInlineSnapshot(
    `"acme/service#7: Stage: approved the plan by ada"`,
  );
});

test('an approval that falls, a deadline and the ends of runs', () => {
  const ends = [
    story().starts().works().says(ada, '/approve').confirms().pushes(bob),
    story().starts().works().waits(25),
    story().starts().works().says(bob, '/reject it does not help\nanybody'),
    story().starts().says(bob, '/cancel'),
    story().starts().agent.fails('exit', 'exit code 1\nno such file'),
  ];
  expect(ends.map(last).join('\n')).toMatchInlineSnapshot(`
    "acme/service#7: The approval of abc0001 no longer counts
    acme/service#7: Timed out waiting for a human
      Task: Fix the flaky test
      Was: awaiting_approval
      Deadline was: 2025-03-04 12:03:00 UTC
      On GitHub you can say: /resume, /steer, /reject, /cancel, /update, /pause, /extend
    acme/service#7: Rejected by bob
      Task: Fix the flaky test
      Rejected by: bob
      Reason: it does not help
      > anybody
    acme/service#7: Cancelled by bob
      Task: Fix the flaky test
      Cancelled by: bob
      Reason: cancelled
    acme/service#7: Iteration 0, attempt 1: no result
      exit code 1
      > no such file"
  `);
});

test('a reminder says how much of the time has passed, and until when there is more', () => {
  const run = story().starts().works();
  const due = deadlines(run.state).find(({ kind }) => kind === 'reminder');
  if (due === undefined) throw new Error('nobody is to be reminded');
  run.now = Date.parse(due.at);
  run.apply({ type: 'timer_due', timer: 'reminder', deadline: due.at });
  expect(last(run)).toMatchInlineSnapshot(`
    "acme/service#7: Reminder: Waiting for approval: confidence 1.00, high
      Task: Fix the flaky test
      50% of the time to answer has passed. Without an answer by 2025-03-04 12:03:00 UTC the run times out and stays as it is; /resume continues it then.
      Approvals: 0 of 1
      Deadline: 2025-03-04 12:03:00 UTC
      On GitHub you can say: /steer, /approve, /reject, /cancel, /retry, /spawn, /verify, /update, /pause, /interrupt, /extend"
  `);
});

test('a verifier that failed has its tests counted, and the first one named', () => {
  const failures = [{ name: 'cart > counts an empty list', message: 'expected 0' }];
  const tests = { from: 'junit', total: 214, failed: 3, skipped: 0, failures } as const;
  const shown = { ...shownAt(head), verifiers: [aVerifier({ success: false, exit_code: 1, tests })] };
  expect(linesOf(awaiting({ shown }))).toContain(
    '[FAIL] api:test (exit code: 1, 3 of 214 tests failed, the first is cart > counts an empty list)',
  );
});

test('the link leads to the pull request', () => {
  expect(shownOf(asked, awaiting()).url).toBe('https://github.com/acme/api/pull/12');
});

test('what others have written is bounded, plain, and told apart from our own lines', () => {
  const summary = `Done.\r\nApprovals: 2 of 2\u2028Deadline: never\n${'more\n'.repeat(50)}${'x'.repeat(50_000)}`;
  const title = '<!channel> [Approve](https://evil.example) \u202eevorppA #12 @ada';
  const files = Array.from({ length: 60 }, (_, nth) => ({
    ...({ path: `src/\n${nth}/${'é'.repeat(400)}`, status: 'added', additions: 1, deletions: 0 } as const),
  }));
  const state = awaiting({
    task: { ...awaiting().task, title },
    report: { summary, status: 'done', tool_calls: [], question: 'Sure?\nApprovals: 3 of 2' },
    shown: { ...shownAt(head), changes: { files, summary: '60 files changed, +60, -0' } },
  });
  const { title: shownTitle, lines } = shownOf(asked, state);
  expect(shownTitle).toBe(
    'acme/api#12: Coxswain finished <!channel> [Approve](https://evil.example) evorppA #12 @ada',
  );
  expect(lines.length).toBeLessThanOrEqual(40);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(300);
  expect(lines.filter((line) => /^(?:Approvals|Deadline)/.test(line))).toEqual([
    'Approvals: 0 of 1',
    'Deadline: 2026-11-22 10:00:00 UTC',
  ]);
  expect(lines.slice(1, 4)).toEqual([
    'In the words of the agent:',
    '> Done.',
    '> Approvals: 2 of 2 Deadline: never',
  ]);
  expect(lines).toContain('- and 50 more');
});

test.each(['\n', '\r', '\r\n\r\n', '\n  ', '\u2028', '\u0085', '\v'])(
  'what follows a line break (%j) of others begins no line of ours',
  (line) => {
    const forged = `x${line}Approvals: 9 of 9`;
    const hit = { rule: 'deletes-files', severity: 'high', evidence: forged } as const;
    const call = { title: forged, command: forged, hits: [hit] };
    const begun = () => story().starts();
    const texts = [
      begun().agent.wonders(forged, [forged, forged]).agent.parks().says(ada, `/answer ${forged}`),
      begun().engine.takes().agent.asks(call),
      begun().engine.takes().agent.asks(call).agent.parks('permission', {}),
      begun().agent.isHeld([hit]),
      begun().agent.fails('exit', forged),
      begun().agent.finishes().verifiers.pass([hit]),
      begun().works().says(bob, `/reject ${forged}`),
      story({ stages: planFirst }).starts().agent.plans(forged, [forged]),
    ].map(told);
    for (const text of texts) {
      expect(text).toContain('x');
      expect(text).not.toMatch(/^ *Approvals: 9/m);
    }
    expect(linesOf(awaiting({ report: { summary: forged, status: 'done', tool_calls: [] } }))).not.toContain(
      'Approvals: 9 of 9',
    );
  },
);

test.each(harmful)('%s is no control character and no hidden one', (_, text) => {
  const report = { summary: text, status: 'done', tool_calls: [] } as const;
  expect(linesOf(awaiting({ report })).join('')).not.toMatch(
    /[\p{Cc}\u200b-\u200f\u202a-\u202e\u2066-\u2069]/u,
  );
});

const asked = {
  ...{ event: 'approval_requested', time: at, actor: null, run: 'acme/api#12', interaction: 'approval:12:6' },
  request: requestOf(awaiting()),
} satisfies Announcement;

function requestOf(state: State) {
  const request = approvalRequestOf(state);
  if (request === null) throw new Error('nothing is asked');
  return request;
}

function linesOf(state: State): readonly string[] {
  return shownOf(asked, state).lines;
}
