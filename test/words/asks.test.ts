import { describe, expect, test } from 'vitest';
import type { Standing } from '../../src/steering/shapes/standing.ts';
import {
  askText,
  decisionCheck,
  settledAsk,
  statusText,
  verifierCheck,
  whyText,
} from '../../src/words/index.ts';
import {
  anInteraction,
  anIteration,
  aVerifier,
  awaiting,
  head,
  nextHead,
  shownAt,
  standingIn,
  steered,
  web,
} from '../github/show/state.ts';
import { ada } from '../steering/samples.ts';
import { type Story, story } from '../steering/story.ts';
import { blockFor } from './block-for.ts';

const seen = (text: string): string => text.replaceAll('\u200b', '·');

describe('the comment that asks for a decision', () => {
  test('shows the first result', () => {
    expect(seen(askText(awaiting(), web))).toMatchInlineSnapshot(`
      "### Coxswain finished Fix the login

      In the words of the agent:

      > The session is renewed on Mondays too.

      **api**: 1 file changed, +30, -5

      - \`src/login.ts (modified, +30/-5)\`

      **Verifiers**

      - pass \`api:test\` (exit code 0)

      **Confidence** 1.00, high: 1 of 1 verifiers passed, 0 of 2 retries used, no destructive changes, 2 of 2 tool calls succeeded (the agent's word). A human has to decide.

      **Risk** low: no gate was triggered.

      Available now (and \`/status\`, \`/diff\`, \`/logs\`, \`/why\`, \`/help\` at any time):

      - \`/steer [--now] [--with <agent>] <what to do differently>\`: Redirect the agent: the text becomes the prompt of the next iteration. \`--now\` tells the agent while it works, or stops it if it cannot be told anything; \`--with codex\` hands the work to another agent, or to one under \`agents\` by its name.
      - \`/approve [sha] [--despite <verifier>]\`: Approve the commit, plan or stage under review. \`--despite\` overrides a failing verifier; this is recorded and requires maintain or admin access.
      - \`/reject <reason>\`: Reject the work with a reason and close the pull request; the branch is kept.
      - \`/cancel\`: Stop the run and close the pull request; the branch is kept.
      - \`/retry [a block that changes the task]\`: Start another attempt at the same iteration, with a fresh budget of attempts. A fenced \`coxswain\` block changes the words, the criteria or the agent.
      - \`/spawn <what to do instead, or a block with one to ten tasks>\`: Replace the task that failed or is under review with another one, or with several: documents of one fenced \`coxswain\` block, separated by \`---\`, which may name each other under \`depends_on\`.
      - \`/verify [--ci]\`: Run the verifiers again on the head, without the agent. \`--ci\` also starts the CI of the repository, where \`ci: after_look\` holds it back.
      - \`/update [--resolve]\`: Merge the base into the branch, once work in progress is finished; the new head is verified. \`--resolve\` lets the agent resolve conflicts, in one attempt.
      - \`/pause [why]\`: Hold the run: the agent or the verifiers are stopped at once, nothing is pushed or merged, and no deadline passes. \`/resume\` continues from there; steers wait until then.
      - \`/interrupt [why]\`: Stop what is in progress and have people decide how to continue: with \`/retry\`, \`/steer\`, \`/approve\` and so on.
      - \`/extend [n]\`: Let the run have \`n\` more iterations (5 by default, at most 20 at once).

      Requested by @ada. There are buttons on the [Checks tab](https://github.com/acme/api/pull/12/checks)."
    `);
  });

  test('links the changes after a steer', () => {
    const iterations = [anIteration(), steered(1, 'logout too', { head_before: head, head_after: nextHead })];
    const text = askText(
      awaiting({ iteration: 1, iterations, head: nextHead, shown: shownAt(nextHead) }),
      web,
    );
    expect(text.startsWith('### Steering iteration 1 complete\n')).toBe(true);
    expect(text).toContain(`(${web}/compare/${head}...${nextHead})`);
  });

  test('what somebody pushed is not told as what the agent has done', () => {
    const iterations = [anIteration(), steered(1, 'logout too', { head_before: head, head_after: nextHead })];
    const titleOf = (state: Parameters<typeof awaiting>[0]) =>
      askText(awaiting({ iteration: 1, iterations, head: nextHead, shown: shownAt(nextHead), ...state }), web)
        .split('\n')
        .at(0);
    expect(titleOf({ pushed_while_shown: true })).toBe('### The pushed commit is verified');
    const own = {
      attempt: 1,
      outcome: 'green',
      failure: null,
      summary: '',
      verifiers: [],
      duration_s: 1,
    } as const;
    const since = { pushed_while_shown: true, attempts: [{ ...own, head: nextHead }] } as const;
    expect(titleOf(since)).toBe('### Steering iteration 1 complete');
  });

  test('after a steer it lists the commits since, with their subjects sanitized', () => {
    const iterations = [anIteration(), steered(1, 'logout too', { head_before: head, head_after: nextHead })];
    const newest = [
      { sha: nextHead, subject: 'Log out too' },
      { sha: head, subject: 'Merge <!-- @bob ](x)' },
    ];
    const shown = shownAt(nextHead, { commits: { count: 12, newest } });
    const text = askText(awaiting({ iteration: 1, iterations, head: nextHead, shown }), web);
    const since = text.slice(text.indexOf('[12 commits'), text.indexOf('Available now'));
    expect(since).toMatchInlineSnapshot(`
      "[12 commits since the last iteration](https://github.com/acme/api/compare/a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4...e5f6a7b8e5f6a7b8e5f6a7b8e5f6a7b8e5f6a7b8)

      - \`e5f6a7b\` Log out too
      - \`a1b2c3d\` Merge &lt;!-- @​bob \\](x)
      - and 10 more

      "
    `);
  });

  test('asks for the name of the commit if someone pushed during the review', () => {
    const named =
      /Someone pushed while this was under review: approve it with the button, a review or `\/approve \w{40}`\./;
    expect(askText(awaiting(), web)).not.toMatch(named);
    expect(askText({ ...awaiting(), pushed_while_shown: true }, web)).toMatch(named);
  });

  test('explains an interrupt and what was tried', () => {
    const interaction = anInteraction({ id: 'interrupt:12:6', kind: 'interrupt' });
    const interrupt = {
      type: 'task_exceeded_retries',
      retry_count: 2,
      failure_reason: 'test still failing\n```',
    } as const;
    const attempts = [1, 2, 3].map((attempt) => ({
      attempt,
      outcome: 'red' as const,
      head,
      failure: null,
      summary: 'tried',
      verifiers: [{ name: 'test', success: false, exit_code: 1 }],
      duration_s: 1,
    }));
    const state = awaiting({
      standing: { phase: 'awaiting_resolution', interaction, interrupt, deadline: 'T' },
      attempt: 3,
      attempts_used: 3,
      attempts,
      shown: null,
    });
    expect(seen(askText(state, web)).replace(blockFor(state), '(the block)')).toMatchInlineSnapshot(`
      "### Task Requires Human Review

      Task issue-11 exceeded max retries (2)

      \`\`\`\`text
      test still failing
      \`\`\`
      \`\`\`\`

      | attempt | what the agent says | changed | what failed | time |
      |---|---|---|---|---|
      | 1 | tried | – | \`test\` failed | 1.0 s |
      | 2 | tried | – | \`test\` failed | 1.0 s |
      | 3 | tried | – | \`test\` failed | 1.0 s |

      **What you can do now** (\`/help\` lists every command)

      - \`/retry\` tries again with a fresh budget of attempts; add the block below to change the task.
      - \`/spawn\` replaces this task with the one in the block below, added under the command, or with several separated by \`---\`.
      - \`/abandon [why]\` gives up the task: this pull request is closed, and runs that depend on it are told.
      - \`/steer <what to do differently>\` begins the next iteration with your words.
      - \`/cancel\` stops the run and closes this pull request.

      <details><summary>The task as a block to copy and edit</summary>

      Put it under \`/retry\` or \`/spawn\` in a comment and change it; what you leave out stays as it is.

      (the block)

      </details>

      In the words of the agent:

      > The session is renewed on Mondays too.

      Requested by @ada. There are buttons on the [Checks tab](https://github.com/acme/api/pull/12/checks)."
    `);
  });

  test('mentions retries only if they are used up', () => {
    const interrupted = (run: Story) =>
      seen(askText(run.state, web))
        .split('\n')
        .find((line) => line.startsWith('Task '));
    const usedUp = story({ attempts: { max: 2 } }).starts();
    usedUp.agent.finishes().verifiers.fail('test');
    usedUp.agent.finishes().verifiers.fail('test');
    const pushed = story({ attempts: { max: 2 } }).starts();
    pushed.agent.finishes().verifiers.fail('test');
    pushed.works().pushes(ada).verifiers.fail('test');
    expect([usedUp, pushed].map(interrupted)).toEqual([
      'Task acme/service#·1 exceeded max retries (1)',
      'Task acme/service#·1 stopped because it cannot make progress without a human',
    ]);
  });

  test('says how it ended, once', () => {
    const settled = { ...anInteraction(), settled_at: 'T', by: 'ada', how: 'steered' };
    const once = settledAsk('### Asked', settled);
    expect(once).toMatchInlineSnapshot(`
      "**Settled:** steered by ada, at \`a1b2c3d\`.

      <details><summary>Original request</summary>

      ### Asked

      </details>"
    `);
    expect(settledAsk(once, settled)).toBe(once);
  });

  test('names nobody where nobody ended it', () => {
    const settled = { ...anInteraction({ kind: 'permission' }), settled_at: 'T', by: 'coxswain' };
    const ended = settledAsk('### Asked', { ...settled, how: 'nobody answered in time' });
    expect(ended).toMatch(/^\*\*Settled:\*\* nobody answered in time\.\n/);
  });

  test('fits into a comment, whatever the agent wrote', () => {
    const files = Array.from({ length: 5000 }, (_, index) => ({
      path: `${'d/'.repeat(200)}${index}`,
      status: 'added' as const,
      additions: 1,
      deletions: 0,
    }));
    const verifiers = Array.from({ length: 300 }, (_, index) =>
      aVerifier({ name: `v${index}`, success: false }),
    );
    const report = { summary: '<'.repeat(100_000), status: 'done', tool_calls: [] } as const;
    const shown = shownAt(head, { changes: { files, summary: 'many' }, verifiers });
    expect(askText(awaiting({ report, shown }), web).length).toBeLessThan(65_000);
  });
});

describe('check runs', () => {
  test('the decision', () => {
    expect(decisionCheck(awaiting(), web)).toMatchInlineSnapshot(`
      {
        "summary": "**Policy** \`manual\`: people approve every commit, regardless of the confidence.

      **Approvals**

      - 0 of 1 from someone with write access

      **Confidence** 1.00, high: 1 of 1 verifiers passed, 0 of 2 retries used, no destructive changes, 2 of 2 tool calls succeeded (the agent's word). A human has to decide.

      **Risk** low: no gate was triggered.

      Comment a command on [the pull request](https://github.com/acme/api/pull/12): \`/steer\`, \`/approve\`, \`/reject\`, \`/cancel\`, \`/retry\`, \`/spawn\`, \`/verify\`, \`/update\`, \`/pause\`, \`/interrupt\`, \`/extend\`; \`/help\` says what each does.",
        "text": "| component | weight | value | evidence |
      |---|---|---|---|
      | verifiers | 0.3 | 1.00 | 1 of 1 verifiers passed |
      | no_retries | 0.2 | 1.00 | 0 of 2 retries used |
      | not_destructive | 0.1 | 1.00 | no destructive changes |
      | tool_calls | 0.1 | 1.00 | 2 of 2 tool calls succeeded (the agent's word) |

      Score of \`a1b2c3d\`: the weighted mean (the weights sum to 0.70), formula \`coxswain-1\`.",
        "title": "Waiting for approval: confidence 1.00, high",
      }
    `);
  });

  test('rejected work fails with the reason of the person who rejected it', () => {
    const state = standingIn({ phase: 'rejected', by: 'ada', reason: 'Not here.\nSee @acme/core' });
    expect(seen(decisionCheck(state, web).summary.split('\n\n')[0] ?? '')).toBe(
      '> Not here.\n> See @·acme/core',
    );
  });

  test.each([
    [true, 'Merged', 'No approval was in force when it was merged.'],
    [false, 'Closed', 'Nobody approved it.'],
  ])('what ends without an approval in force says so (merged: %s)', (merged, title, expected) => {
    const check = decisionCheck(standingIn({ phase: 'done', merged }), web);
    expect(check.title).toBe(title);
    expect(check.summary.split('\n\n')[0]).toBe(expected);
  });

  test.each<Standing>([
    { phase: 'done', merged: true },
    { phase: 'approved', finish: 'finished' },
    { phase: 'rejected', by: 'ada', reason: 'No' },
    { phase: 'paused', why: 'branch_deleted', resumes_with: 'attempt' },
  ])('no human has to decide when nobody is asked: $phase', (standing) => {
    const state = standingIn(standing);
    expect(decisionCheck(state, web).summary).toMatch(
      /\*\*Confidence\*\* 1\.00.*tool calls succeeded \(the agent's word\)\.\n/,
    );
    for (const text of [decisionCheck(state, web).summary, whyText(state, web)])
      expect(text).not.toContain('has to decide');
  });

  test('held work stands beside no evidence of another commit', () => {
    const run = story().starts().works().says(ada, '/steer more');
    run.agent.isHeld();
    expect(run.state.shown).not.toBeNull();
    const { title, summary, text } = decisionCheck(run.state, web);
    expect(title).toBe('Waiting for permission to push');
    expect([summary, text, statusText(run.state)].join('\n')).not.toMatch(/confidence|score/i);
    expect(statusText(run.state)).not.toContain('Summary:');
    expect(whyText(run.state, web)).toMatch(/\*\*Confidence\*\* [\s\S]*Score of `/);
  });

  test('branches that share it are named, and what of the task no longer fits', () => {
    const { settings } = awaiting();
    const ignored = ['approval.required: expected at least 3; received 2'];
    const { summary } = decisionCheck(
      awaiting({ settings: { ...settings, shared_by: ['release/*', 'stable'], ignored } }),
      web,
    );
    expect(summary).toContain(
      'An approval for any branch matching `release/*` or `stable` counts for all of them.',
    );
    expect(summary).toContain('These settings of the task no longer apply:\n\n- approval.required: expected');
  });

  test('a run that a broken configuration stopped says so, and what to do', () => {
    const what = '.github/coxswain.yml on main is not valid: verifiers: expected a list';
    const because = 'configuration';
    const state = standingIn({ phase: 'failed', reference: 'r-1', what, because, resumes_with: 'attempt' });
    const { title, summary } = decisionCheck(state, web);
    expect(title).toBe('Stopped: the configuration cannot be used');
    expect(summary).toContain(`${what}.\n\nFix it on the default branch, then use \`/retry\`.`);
  });

  test('a verifier shows its output', () => {
    expect(
      verifierCheck(aVerifier({ success: false, exit_code: 1, required: false }), { head_sha: head }, web),
    ).toMatchInlineSnapshot(`
      {
        "summary": "Failed (exit code 1) after 3.3 s. This verifier is not required.",
        "text": "\`[FAIL] api:test (exit code: 1)\`

      stdout:

      \`\`\`text
      ok 14 tests
      \`\`\`",
        "title": "Failed (exit code 1), not required",
      }
    `);
  });
});

test('a call that no rule matches is asked about because of the key that decides on it', () => {
  const asked = (kind: string) =>
    askText(story().starts().engine.takes().agent.asks({ kind, hits: [] }).state, web);
  expect(asked('edit')).toContain('(`permissions.edit`)');
  expect(asked('other')).toContain('(`permissions.execute`)');
});
