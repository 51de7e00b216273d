import { describe, expect, test } from 'vitest';
import { possibleIn } from '../../src/steering/phases/table.ts';
import type { Progress } from '../../src/steering/shapes/agent-progress.ts';
import type { Refusal, ReplyContent } from '../../src/steering/state/pending-effect.ts';
import { replyText, type Sources, statusText } from '../../src/words/index.ts';
import {
  anApproval,
  anInteraction,
  aState,
  aVerifier,
  awaiting,
  head,
  nextHead,
  shownAt,
  standingIn,
  web,
} from '../github/show/state.ts';

const sources: Sources = {
  web,
  diff: async (path) =>
    path === 'none'
      ? { files: [], summary: 'No changes', truncated: false }
      : {
          files: [
            {
              path: 'src/login.ts',
              status: 'modified',
              additions: 1,
              deletions: 0,
              diff: '@@ -1 +1,2 @@\n a\n+```\n',
            },
          ],
          summary: '1 file changed, +1, -0',
          truncated: true,
        },
  outputs: async () => undefined,
  progress: () => ({ progress: undefined, now: new Date() }),
};

const say = (words: ReplyContent, state = awaiting()): Promise<string> => replyText(words, state, sources);
const _seen = (text: string): string => text.replaceAll('\u200b', '·');

describe('a refusal says what happened, why and what to do next, in two sentences', () => {
  const refusals: readonly Refusal[] = [
    { why: 'misspoken', command: 'diff', problem: 'expected one path, got 2' },
    { why: 'not_permitted', command: 'steer', has: 'read', needs: 'write' },
    { why: 'bot' },
    { why: 'own_work', rule: 'steerer_may_approve' },
    { why: 'unknown_contributors', rule: 'steerer_may_approve' },
    { why: 'said_by_app', app: 'helper' },
    { why: 'not_by_workflow', command: 'approve' },
    { why: 'not_now', command: 'resume', phase: 'awaiting_approval' },
    { why: 'nothing_to_approve', phase: 'working' },
    {
      ...{ why: 'written_before', command: 'retry' },
      happened: {
        ...{ by: 'bob', how: 'pushed', at: '2025-03-03T12:00:00Z' },
        moved: { from: head, to: nextHead },
      },
    },
    { why: 'written_before', command: 'spawn' },
    { why: 'written_before', command: 'spawn', names: true, happened: { by: 'bob', how: 'retried' } },
    { why: 'other_interrupt', command: 'spawn', named: 'interrupt:9:3' },
    { why: 'already_resolved', by: 'bob', how: 'retried', phase: 'working' },
    {
      ...{ why: 'already_resolved', by: 'bob', how: 'pushed', phase: 'queued', at: '2025-03-03T12:00:00Z' },
      moved: { from: head, to: nextHead },
    },
    { why: 'already_resolved', by: 'bob', how: 'retargeted', phase: 'queued' },
    { why: 'other_head', approved: head, head: nextHead },
    { why: 'just_landed', head },
    { why: 'pushed_while_shown', head },
    { why: 'pushed_while_shown', head, despite: ['lint'] },
    { why: 'other_base', base: 'next', head },
    { why: 'already_approved', by: 'ada' },
    { why: 'red_verifiers', names: ['test', 'lint'] },
    { why: 'red_verifiers', names: ['lint'], has: 'maintain' },
    { why: 'red_verifiers', names: ['lint'], has: 'write' },
    { why: 'red_verifiers', names: ['lint'], has: 'maintain', head },
    { why: 'despite_needs_maintain', has: 'write' },
    { why: 'not_red', names: ['lint'] },
    { why: 'iterations_used_up', max: 5 },
    { why: 'outdated_button' },
    { why: 'already_running', number: 7 },
    { why: 'over', phase: 'rejected' },
    { why: 'over', phase: 'done' },
    { why: 'beyond_operator', limit: 'cost_usd', most: 10 },
    { why: 'beyond_operator', limit: 'tool_calls', most: 600 },
  ];

  test('for every reason', async () => {
    const possible = possibleIn(awaiting());
    const texts = await Promise.all(refusals.map((refusal) => say({ say: 'refused', refusal, possible })));
    for (const text of texts) expect(text.match(/[.!?](?= |$)/g)?.length ?? 0).toBeLessThanOrEqual(2);
    expect(texts.join('\n')).toMatchInlineSnapshot(`
      "\`/diff\` was not understood: expected one path, got 2. Usage: \`/diff [path] [--full]\`.
      \`/steer\` requires write on this repository, but your role is read. Ask someone with that permission to run it.
      Commands from bots are ignored. A person with the required permission can use the same command.
      You steered this run, or contributed to its branch or its issue, and \`approval.steerer_may_approve\` is false in \`.github/coxswain.yml\`. Someone else has to \`/approve\`.
      Not everyone who worked on this branch is known, and \`approval.steerer_may_approve\` is false in \`.github/coxswain.yml\`. Someone with maintain access has to \`/approve\`.
      The App \`helper\` wrote this on your behalf, so it does not count as your own word. Write it yourself on GitHub, or list the App under \`approval.apps\` in \`.github/coxswain.yml\`.
      \`/approve\` counts only where it can be checked again later, which a manually started workflow does not allow. Use it on the pull request itself.
      \`/resume\` is not available while the run is \`awaiting_approval\`. You can use \`/steer\`, \`/approve\`, \`/reject\`, \`/cancel\`, \`/retry\`, \`/spawn\`, \`/verify\`, \`/update\`, \`/pause\`, \`/interrupt\` or \`/extend\` now.
      There is no commit to approve while the run is \`working\`. You can use \`/steer\`, \`/approve\`, \`/reject\`, \`/cancel\`, \`/retry\`, \`/spawn\`, \`/verify\`, \`/update\`, \`/pause\`, \`/interrupt\` or \`/extend\` now.
      Your \`/retry\` was written before the run stopped for what it asks now: what it asked then is over (bob pushed [\`e5f6a7b\`](https://github.com/acme/api/compare/a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4...e5f6a7b8e5f6a7b8e5f6a7b8e5f6a7b8e5f6a7b8) at 2025-03-03 12:00:00 UTC). Read why it stopped, then use \`/retry\` again.
      Your \`/spawn\` was written before the run stopped for what it asks now, while it was at work. Read why it stopped, then use \`/spawn\` again.
      The block in your \`/spawn\` was made for something that is already over (retried by bob), so nothing has changed. Read what is there now, then use \`/spawn\` again with the current block.
      The block in your \`/spawn\` was made for \`interrupt:9:3\`, which was never asked here, so nothing has changed. Leave \`interrupt\` out, or use the command on the run it belongs to.
      This was already retried by bob, so the run is \`working\`. \`/status\` shows where it stands.
      Nothing was done, because the question put to people no longer applies: bob pushed [\`e5f6a7b\`](https://github.com/acme/api/compare/a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4...e5f6a7b8e5f6a7b8e5f6a7b8e5f6a7b8e5f6a7b8) at 2025-03-03 12:00:00 UTC. The current head is being verified, and people are asked again if it fails.
      Nothing was done, because the question put to people no longer applies: bob changed the base. The current head is being verified, and people are asked again if it fails.
      You approved \`a1b2c3d\`, but \`e5f6a7b\` is the commit under review. Review [what has changed since](https://github.com/acme/api/compare/a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4...e5f6a7b8e5f6a7b8e5f6a7b8e5f6a7b8e5f6a7b8), then use \`/approve e5f6a7b8e5f6\`.
      \`a1b2c3d\` landed just before you commented, so you may not have seen it. Once you have reviewed it, use \`/approve a1b2c3d4a1b2\`.
      Someone pushed to this branch while it was under review, so a comment has to name the commit with all 40 characters: \`/approve a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4\`. The button or an approving review will do, too.
      Someone pushed to this branch while it was under review, so a comment has to name the commit with all 40 characters: \`/approve a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4 --despite lint\`. The button or an approving review will do, too.
      The base was changed to \`next\` while this was under review, so there may be more to merge than you have seen. Once you have reviewed what is merged into it now, use the button or \`/approve a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4\`.
      This commit is already approved by ada. \`/status\` shows what is still missing.
      Required verifiers failed: \`test\`, \`lint\`. Steer the run to fix them, or override them with \`/approve --despite test --despite lint\`, which requires maintain or admin access and is recorded.
      Required verifiers failed: \`lint\`. Steer the run to fix them, or override them with \`/approve --despite lint\`, which requires maintain or admin access and is recorded.
      Required verifiers failed: \`lint\`. Steer the run to fix them, or ask someone with maintain or admin access to override them with \`/approve --despite lint\`; your role is write.
      Required verifiers failed: \`lint\`. Steer the run to fix them, or override them with \`/approve a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4 --despite lint\`, which requires maintain or admin access and is recorded.
      Overriding a failing verifier requires maintain or admin access to this repository, but your role is write. Ask someone with either role, or steer the run until the verifier passes.
      No required verifier named \`lint\` is failing. Use \`/approve\` without \`--despite lint\`.
      This run has used all of its 5 iterations; \`/extend\` gives it more. You can use \`/approve\`, \`/reject\`, \`/cancel\`, \`/retry\`, \`/spawn\`, \`/verify\`, \`/update\`, \`/pause\`, \`/interrupt\` or \`/extend\` now.
      That button is out of date: the run has moved on. You can use \`/steer\`, \`/approve\`, \`/reject\`, \`/cancel\`, \`/retry\`, \`/spawn\`, \`/verify\`, \`/update\`, \`/pause\`, \`/interrupt\` or \`/extend\` now.
      A run for this issue is already in progress in #7. Use \`/steer\` there.
      This run has ended (\`rejected\`). Reopen the pull request to continue it, or start another with \`/run <task>\` on an issue.
      This run has ended (\`done\`). You can start another with \`/run <task>\` on an issue.
      The operator of Coxswain allows at most 10.00 USD for a run. Ask them, or raise it by less.
      The operator of Coxswain allows at most 600 tool calls for an attempt. Ask them, or raise it by less."
    `);
  });
});

test('replies about what was done', async () => {
  const words: readonly ReplyContent[] = [
    { say: 'queued', place: 2 },
    { say: 'withdrawn', place: 1 },
    { say: 'changed', place: 1 },
    { say: 'unchanged', place: 1 },
    { say: 'revoked', approved: head, head: nextHead, by: 'eve', approvers: ['mia', 'ada'] },
    { say: 'retargeted', from: 'main', base: 'easy', by: 'eve' },
    { say: 'finish_refused', reasons: ['the head is e5f6a7b, but a1b2c3d was approved'] },
    { say: 'counted', have: 1, need: 2 },
    { say: 'raised', limit: 'tokens', to: 600 },
    { say: 'raised', limit: 'tool_calls', to: 600 },
    { say: 'ask_reason' },
  ];
  expect((await Promise.all(words.map((one) => say(one)))).join('\n')).toMatchInlineSnapshot(`
    "Queued as steer 2. All queued steers together become the next iteration, in order, when the current work ends.
    Queued steer 1 was withdrawn because its comment no longer contains it.
    Queued steer 1 was updated to match its comment.
    Queued steer 1 stays as its author wrote it; only the author can change it.
    The approval of \`a1b2c3d\` by @mia and @ada no longer counts because eve pushed \`e5f6a7b\`. When the verifiers have run again, review [what has changed](https://github.com/acme/api/compare/a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4...e5f6a7b8e5f6a7b8e5f6a7b8e5f6a7b8e5f6a7b8), then \`/approve\` it.
    The approval no longer counts because eve changed the base from \`main\` to \`easy\`. When the verifiers have run again for \`easy\`, review it, then \`/approve\` it.
    Not finished: the head is e5f6a7b, but a1b2c3d was approved. The approval no longer counts: when the verifiers have run again, review the commit, then \`/approve\` it.
    Approval 1 of 2 recorded. Still needed: 1.
    This run may now use 600 tokens.
    Each attempt of this run may now use 600 tool calls.
    Why? Nothing has changed yet: comment \`/reject <reason>\` to close this, and the next run on #11 is told your reason."
  `);
});

describe('the reply to', () => {
  test('/status', async () => {
    expect(await say({ say: 'status' })).toMatchInlineSnapshot(`
      "\`\`\`text
      Status: awaiting_approval
      Run: acme/api#12, iteration 0 of 5, attempt 1
      Head: a1b2c3d
      Approvals: 0 of 1
      Deadline: 2026-11-22 10:00:00 UTC
      Confidence: 1.00 (high). A human has to decide.
      Risk: low
      Repository: api
        Summary: 1 file changed, +30, -5
        modified src/login.ts (+30/-5)
      [PASS] api:test (exit code: 0)
      \`\`\`

      [Files](https://github.com/acme/api/pull/12/files), [checks](https://github.com/acme/api/pull/12/checks).

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
      - \`/extend [n]\`: Let the run have \`n\` more iterations (5 by default, at most 20 at once)."
    `);
  });

  test('/status in every phase', () => {
    const before = { phase: 'awaiting_approval', interaction: anInteraction(), deadline: 'T' } as const;
    const hold = { iteration: 0, attempt: 1, holder: 'h', until: 'T' };
    const states = [
      standingIn({ phase: 'queued', work: 'verify_head' }),
      standingIn({ phase: 'verifying', hold, work: 'verify_attempt' }),
      standingIn({ phase: 'paused', why: 'branch_deleted', resumes_with: 'attempt' }),
      awaiting({ standing: { phase: 'approved', finish: 'checking' }, approvals: [anApproval()] }),
      standingIn({ phase: 'done', merged: true }),
      standingIn({ phase: 'rejected', by: 'ada', reason: 'wrong place' }),
      standingIn({ phase: 'cancelled', by: null, reason: 'nothing to do' }),
      standingIn({ phase: 'timed_out', before }),
      standingIn({ phase: 'failed', reference: 'r-1', what: 'disk full', resumes_with: 'attempt' }),
    ];
    const texts = states.map((state) =>
      statusText(state)
        .split('\n')
        .filter((_, line) => ![1, 2].includes(line))
        .slice(0, 3)
        .join(' / '),
    );
    expect(texts.join('\n')).toMatchInlineSnapshot(`
      "Status: queued / Waiting for: room for the verifiers / This is from iteration 0, commit a1b2c3d; the verifiers will run again.
      Status: verifying / Lease until: T / Progress: not visible from here because another process is doing the work
      Status: paused / Why: The branch was deleted; restore it first. / Confidence: 1.00 (high)
      Status: approved / Approved by: grace / Final check: in progress
      Status: done / Merged: yes / Confidence: 1.00 (high)
      Status: rejected / Rejected by: ada / Reason: wrong place
      Status: cancelled / Reason: nothing to do / Confidence: 1.00 (high)
      Status: timed_out / Was: awaiting_approval / Deadline was: T
      Status: failed / Why: disk full / Reference: r-1"
    `);
  });

  test('/why', async () => {
    const gates = [{ rule: 'deletes-files', severity: 'high', evidence: 'src/a|b.ts' } as const];
    expect(await say({ say: 'why' }, awaiting({ shown: shownAt(head, { gates }) }))).toMatchInlineSnapshot(`
      "Missing: one approval from someone with write access; nothing proceeds automatically because the configuration requires people to approve.

      **Confidence** 1.00, high: 1 of 1 verifiers passed, 0 of 2 retries used, no destructive changes, 2 of 2 tool calls succeeded (the agent's word). A human has to decide because a gate was triggered.

      | component | weight | value | evidence |
      |---|---|---|---|
      | verifiers | 0.3 | 1.00 | 1 of 1 verifiers passed |
      | no_retries | 0.2 | 1.00 | 0 of 2 retries used |
      | not_destructive | 0.1 | 1.00 | no destructive changes |
      | tool_calls | 0.1 | 1.00 | 2 of 2 tool calls succeeded (the agent's word) |

      Score of \`a1b2c3d\`: the weighted mean (the weights sum to 0.70), formula \`coxswain-1\`.

      **Risk** high, from these gates, regardless of the confidence:

      - high
        - \`deletes-files\`: src/a\\|b.ts

      **Policy** \`manual\`: people approve every commit, regardless of the confidence."
    `);
    expect(await say({ say: 'why' }, aState())).toMatchInlineSnapshot(
      `
      "Missing: the result of the agent, which is at work on attempt 1 of iteration 0.

      There is no confidence score yet because \`bbbbbbb\` has not been verified. \`/status\` shows where the run stands."
    `,
    );
  });

  test('/help', async () => {
    expect(await say({ say: 'help' })).toMatchInlineSnapshot(`
      "The run is \`awaiting_approval\`. Start a line of a comment with a command; \`/coxswain approve\` is the same as \`/approve\`.

      | command | what it does | requires | available now |
      |---|---|---|---|
      | \`/run <task>\` | Start a run on this issue, or adopt this pull request and work on its branch. | write |  |
      | \`/steer [--now] [--with <agent>] <what to do differently>\` | Redirect the agent: the text becomes the prompt of the next iteration. \`--now\` tells the agent while it works, or stops it if it cannot be told anything; \`--with codex\` hands the work to another agent, or to one under \`agents\` by its name. | write | yes |
      | \`/approve [sha] [--despite <verifier>]\` | Approve the commit, plan or stage under review. \`--despite\` overrides a failing verifier; this is recorded and requires maintain or admin access. | write | yes |
      | \`/answer [question] <text or number of an option>\` | Answer the question that the agent asked, so that it can continue. If it offers options, a number is enough: \`/answer 2\`. If several questions are open, name one: \`/answer question:7:12 yes\`. | write |  |
      | \`/allow [once\\|always]\` | Let the agent do what it asks for, or let the held work be pushed to the branch. \`always\` also lets through what the same rules would stop later in this run, except critical ones. | write |  |
      | \`/deny [why]\` | Refuse what the agent asks for, and tell it why, or keep the held work off the branch, and tell the next attempt why. | write |  |
      | \`/reject <reason>\` | Reject the work with a reason and close the pull request; the branch is kept. | write | yes |
      | \`/cancel\` | Stop the run and close the pull request; the branch is kept. | write | yes |
      | \`/retry [a block that changes the task]\` | Start another attempt at the same iteration, with a fresh budget of attempts. A fenced \`coxswain\` block changes the words, the criteria or the agent. | write | yes |
      | \`/spawn <what to do instead, or a block with one to ten tasks>\` | Replace the task that failed or is under review with another one, or with several: documents of one fenced \`coxswain\` block, separated by \`---\`, which may name each other under \`depends_on\`. | write | yes |
      | \`/abandon [why]\` | Give up the failed task and close the pull request; the branch is kept. Runs that depend on it are told. | write |  |
      | \`/undo [n]\` | Go back to the result of iteration \`n\`, by default the previous one: a new commit has the files as they were then, and is verified. Work in progress is stopped; no history is rewritten. | write |  |
      | \`/update [--resolve]\` | Merge the base into the branch, once work in progress is finished; the new head is verified. \`--resolve\` lets the agent resolve conflicts, in one attempt. | write | yes |
      | \`/interrupt [why]\` | Stop what is in progress and have people decide how to continue: with \`/retry\`, \`/steer\`, \`/approve\` and so on. | write | yes |
      | \`/pause [why]\` | Hold the run: the agent or the verifiers are stopped at once, nothing is pushed or merged, and no deadline passes. \`/resume\` continues from there; steers wait until then. | write | yes |
      | \`/resume\` | Continue a run that is paused or timed out where it left off, or start one that waits for its turn. With maintain access, start one anyway that waits for a merge, or start over a run whose ledger was lost. | write |  |
      | \`/extend [n]\` | Let the run have \`n\` more iterations (5 by default, at most 20 at once). | write | yes |
      | \`/budget +<amount> [usd\\|tokens\\|calls]\` | Raise a limit of this run, by default the one that is used up, and continue if it stopped because of it: \`/budget +5 usd\`, \`/budget +500k tokens\`, \`/budget +100 calls\`. The operator of the App may set a maximum. | write |  |
      | \`/verify [--ci]\` | Run the verifiers again on the head, without the agent. \`--ci\` also starts the CI of the repository, where \`ci: after_look\` holds it back. | write | yes |
      | \`/dismiss <concern> [why]\` | Settle a concern raised by the second opinion, such as \`c2\`: the reviewer is told why, and does not repeat it. | write |  |
      | \`/status\` | Show where the run stands. | read | yes |
      | \`/diff [path] [--full]\` | Show the changes of the run, or of one file, folder or glob; \`--full\` requires write access. | read | yes |
      | \`/logs [verifier]\` | Show the output of the verifiers, or of one. | read | yes |
      | \`/why\` | Say what the next step needs, and explain the confidence score, the risk and the proof. | read | yes |
      | \`/help\` | List all commands and mark those available now. | read | yes |"
    `);
  });

  test('/help names the people whom the configuration lets approve', async () => {
    const by = [{ role: 'maintain' }, { login: 'grace' }] as const;
    const state = awaiting();
    const { settings } = state;
    const text = await say(
      { say: 'help' },
      { ...state, settings: { ...settings, approval: { ...settings.approval, by } } },
    );
    const row = _seen(text)
      .split('\n')
      .find((line) => line.includes('`/approve [sha]'));
    expect(row).toMatch(/ \| maintain or @·grace \| yes \|$/);
  });

  test('/diff', async () => {
    expect(await say({ say: 'diff', path: null, full: false })).toMatchInlineSnapshot(`
      "**api**: 1 file changed, +1, -0

      - \`src/login.ts (modified, +1/-0)\`

      \`\`\`\`diff
      @@ -1 +1,2 @@
       a
      +\`\`\`
      \`\`\`\`

      The diff is too long to show in full. See [all changes](https://github.com/acme/api/pull/12/files)."
    `);
    expect(await say({ say: 'diff', path: 'none', full: false })).toMatchInlineSnapshot(
      `"No changes in \`none\`. Use \`/diff\` without a path to see all changes."`,
    );
  });

  test('/diff, where the branch is the same as its base', async () => {
    const same = { ...sources, diff: async () => ({ files: [], summary: '', truncated: false }) };
    const asked = { say: 'diff', path: null, full: false } as const;
    expect(await replyText(asked, awaiting(), same)).toMatch(/^No changes yet: /);
    const merged = standingIn({ phase: 'done', merged: true });
    expect(await replyText(asked, merged, same)).toBe(
      'The branch no longer differs from its base. [What it changed](https://github.com/acme/api/pull/12/files) is on the Files tab.',
    );
  });

  test('/logs', async () => {
    const verifiers = [
      aVerifier(),
      aVerifier({ name: 'lint', success: false, exit_code: 2, stdout: '', stderr: 'a.ts: ```\n' }),
    ];
    const state = awaiting({ shown: shownAt(head, { verifiers }) });
    expect(await say({ say: 'logs', verifier: null }, state)).toMatchInlineSnapshot(`
      "\`[PASS] api:test (exit code: 0)\`

      stdout:

      \`\`\`text
      ok 14 tests
      \`\`\`

      \`[FAIL] api:lint (exit code: 2)\`

      stderr:

      \`\`\`\`text
      a.ts: \`\`\`
      \`\`\`\`

      <sub>Every attempt and its output are in the ledger: \`git fetch origin refs/coxswain/open/12 && git ls-tree -r --name-only FETCH_HEAD iterations/\` lists them, \`git show FETCH_HEAD:<path>\` shows one.</sub>"
    `);
    expect(await say({ say: 'logs', verifier: 'api:test' }, state)).toContain('[PASS]');
    expect(await say({ say: 'logs', verifier: 'build' }, state)).toMatchInlineSnapshot(
      `
      "There is no verifier named \`build\`. These ran: \`test\`, \`lint\`.

      <sub>Every attempt and its output are in the ledger: \`git fetch origin refs/coxswain/open/12 && git ls-tree -r --name-only FETCH_HEAD iterations/\` lists them, \`git show FETCH_HEAD:<path>\` shows one.</sub>"
    `,
    );
    expect(await say({ say: 'logs', verifier: null }, aState())).toMatchInlineSnapshot(
      `
      "Iteration 0, attempt 1 is at work until 2026-11-21T10:00:00Z at the latest; its progress is not visible from here because another process is doing the work.

      No verifier has finished yet. \`/status\` shows where the run stands."
    `,
    );
  });
});

describe('while work is in progress', () => {
  const now = new Date('2026-11-21T10:03:20Z');
  const calls = { total: 12, failed: 1, denied: 0 };
  const begun = { since: '2026-11-21T10:00:00Z', cost: { usd: 0.42 }, near: [], calls, last: [], saying: '' };
  const verifiers: Progress['verifiers'] = [
    { name: 'lint', required: false, result: { success: false, duration_s: 2.04 } },
    { name: 'test', required: true, since: '2026-11-21T10:03:08Z' },
    { name: 'build', required: true },
  ];
  const at = (progress: Progress): Sources => ({ ...sources, progress: () => ({ progress, now }) });
  const lease = { since: '2026-11-21T10:00:00Z', until: '2026-11-21T11:00:00Z' };
  const hold = { iteration: 0, attempt: 1, holder: 'h', ...lease };
  const standing = { phase: 'verifying', hold, work: 'verify_attempt' } as const;
  const verifying = aState({ standing, shown: null });

  test('/status says the stage, the time, the calls and each verifier', () => {
    const known = at({ ...begun, stage: 'verifiers', verifiers });
    expect(statusText(verifying, known.progress()).split('\n').slice(3, -1)).toEqual([
      'Working since: 2026-11-21T10:00:00Z',
      'Lease until: 2026-11-21T11:00:00Z',
      'Stage: the verifiers, 3 min 20 s since the work began',
      'Calls: 12 tool calls (1 failed)',
      '  lint   failed (not required) after 2.0 s',
      '  test   running for 12 s',
      '  build  not started',
    ]);
    const agent = at({ ...begun, stage: 'agent' });
    const working = aState({ standing: { phase: 'working', hold }, shown: null });
    expect(statusText(working, agent.progress())).toContain(
      'Stage: the agent, 3 min 20 s since the work began\nCalls: 12 tool calls (1 failed)\nCost of this attempt: 0.42 USD',
    );
  });

  test('/logs says it before the output of an earlier commit, which it names', async () => {
    const earlier = { head: 'c0ffee0'.padEnd(40, '0'), verifiers: [aVerifier({ stdout: 'ok 14 tests\n' })] };
    const known = { ...at({ ...begun, stage: 'verifiers', verifiers }), outputs: async () => earlier };
    const text = await replyText({ say: 'logs', verifier: null }, verifying, known);
    expect(text).toMatch(
      /^Iteration 0, attempt 1 is at work: the verifiers, 3 min 20 s, 12 tool calls \(1 failed\)\.\n\n- `lint`: failed \(not required\) after 2\.0 s\n- `test`: running for 12 s\n- `build`: not started\n\nThis is the output for `c0ffee0`, an earlier commit\.\n\n`\[PASS\]/,
    );
    expect(text).toContain('git fetch origin refs/coxswain/open/12 ');
  });

  test('the verification of a commit that somebody pushed is not called an attempt', async () => {
    const ofHead = aState({ standing: { ...standing, work: 'verify_head' }, shown: null });
    const known = at({ ...begun, stage: 'verifiers', verifiers });
    expect(await replyText({ say: 'logs', verifier: null }, ofHead, known)).toMatch(
      /^The verification of `[0-9a-f]{7}` is at work: the verifiers, 3 min 20 s/,
    );
  });

  test('who answers elsewhere says what the lease tells, and no more', async () => {
    expect(statusText(verifying)).toContain('Progress: not visible from here');
    expect(await say({ say: 'logs', verifier: null }, verifying)).toMatch(
      /^Iteration 0, attempt 1 is at work since 2026-11-21T10:00:00Z, until 2026-11-21T11:00:00Z at the latest; its progress is not visible from here/,
    );
  });
});
