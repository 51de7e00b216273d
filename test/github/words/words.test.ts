import { describe, expect, test } from 'vitest';
import { replyText, type Sources, statusText } from '../../../src/github/words/index.ts';
import type { Refusal, Words } from '../../../src/steering/pending-effect.ts';
import { possibleIn } from '../../../src/steering/table.ts';
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
} from '../show/state.ts';

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
};

const say = (words: Words, state = awaiting()): Promise<string> => replyText(words, state, sources);
const _seen = (text: string): string => text.replaceAll('\u200b', '·');

describe('a refusal says what happened, why and what to say next, in two sentences', () => {
  const refusals: readonly Refusal[] = [
    { why: 'misspoken', command: 'diff', problem: 'it takes one path, got 2' },
    { why: 'not_permitted', command: 'steer', has: 'read', needs: 'write' },
    { why: 'bot' },
    { why: 'own_work', rule: 'steerer_may_approve' },
    { why: 'not_now', command: 'resume', phase: 'awaiting_approval' },
    { why: 'nothing_to_approve', phase: 'working' },
    { why: 'other_head', approved: head, head: nextHead },
    { why: 'just_landed', head },
    { why: 'already_approved', by: 'ada' },
    { why: 'red_verifiers', names: ['test', 'lint'] },
    { why: 'despite_needs_maintain', has: 'write' },
    { why: 'not_red', names: ['lint'] },
    { why: 'iterations_used_up', max: 5 },
    { why: 'outdated_button' },
    { why: 'already_running', number: 7 },
    { why: 'over', phase: 'rejected' },
    { why: 'over', phase: 'done' },
  ];

  test('every one of them', async () => {
    const possible = possibleIn(awaiting());
    const texts = await Promise.all(refusals.map((refusal) => say({ say: 'refused', refusal, possible })));
    for (const text of texts) expect(text.match(/[.!?](?= |$)/g)?.length ?? 0).toBeLessThanOrEqual(2);
    expect(texts.join('\n')).toMatchInlineSnapshot(`
      "\`/diff\` could not be read: it takes one path, got 2. It is said as \`/diff [path] [--full]\`.
      \`/steer\` takes write on this repository, and you have read. Someone with that right can say it.
      Bots are not obeyed here. A person with the right can say the same.
      You steered this run, or pushed to its branch, and \`approval.steerer_may_approve\` is false in \`.github/coxswain.yml\`. Somebody else can say \`/approve\`.
      \`/resume\` does nothing while the run is \`awaiting_approval\`. You can say \`/steer\`, \`/approve\`, \`/reject\`, \`/cancel\`, \`/retry\` or \`/verify\` now.
      Nothing is on show to approve while the run is \`working\`. You can say \`/steer\`, \`/approve\`, \`/reject\`, \`/cancel\`, \`/retry\` or \`/verify\` now.
      You approved \`a1b2c3d\`, but \`e5f6a7b\` is on show. Read [what has changed since](https://github.com/acme/api/compare/a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4...e5f6a7b8e5f6a7b8e5f6a7b8e5f6a7b8e5f6a7b8), then say \`/approve e5f6a7b8e5f6\`.
      \`a1b2c3d\` landed just as you wrote, so it cannot be what you had seen. When you have read it, say \`/approve a1b2c3d4a1b2\`.
      This is already approved by ada. \`/status\` tells what is still missing.
      Required verifiers are red: \`test\`, \`lint\`. Steer the run to mend them, or say \`/approve --despite test --despite lint\` with maintain or admin, which is recorded.
      Going past a red verifier takes maintain or admin on this repository, and you have write. Someone with either can say it, or the run can be steered until the verifier is green.
      \`lint\`: no required verifier of that name is red. Say \`/approve\` without it.
      All 5 iterations of this run are used up. You can say \`/approve\`, \`/reject\`, \`/cancel\`, \`/retry\` or \`/verify\` now.
      That button belongs to something that is no longer on show. You can say \`/steer\`, \`/approve\`, \`/reject\`, \`/cancel\`, \`/retry\` or \`/verify\` now.
      A run for this issue is already under way in #7. Steer it there with \`/steer\`.
      This run is over: it was \`rejected\`. Reopen the pull request to take it up again, or start another with \`/run <task>\` on an issue.
      This run is over: it is \`done\`. You can start another with \`/run <task>\` on an issue."
    `);
  });
});

test('replies to what was done', async () => {
  const words: readonly Words[] = [
    { say: 'queued', place: 2 },
    { say: 'withdrawn', place: 1 },
    { say: 'changed', place: 1 },
    { say: 'unchanged', place: 1 },
    { say: 'revoked', approved: head, head: nextHead, by: 'eve' },
    { say: 'finish_refused', reasons: ['the head is e5f6a7b, approved was a1b2c3d'] },
    { say: 'counted', have: 1, need: 2 },
  ];
  expect((await Promise.all(words.map((one) => say(one)))).join('\n')).toMatchInlineSnapshot(`
    "Queued as 2. What is queued becomes the next iteration, together and in order, when the work under way has ended.
    Steer 1 in the queue is withdrawn: its comment no longer says it.
    Steer 1 in the queue is changed to what its comment says now.
    Steer 1 in the queue stays as its author wrote it: only they can change it.
    The approval of \`a1b2c3d\` no longer counts: eve pushed \`e5f6a7b\`. It is verified anew; read [what has changed](https://github.com/acme/api/compare/a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4...e5f6a7b8e5f6a7b8e5f6a7b8e5f6a7b8e5f6a7b8), then say \`/approve\` again when it is on show.
    Not finished: the head is e5f6a7b, approved was a1b2c3d. The head is verified once more, then it waits for \`/approve\` again.
    Approved, 1 of 2. Still missing: 1."
  `);
});

describe('what is looked at', () => {
  test('/status', async () => {
    expect(await say({ say: 'status' })).toMatchInlineSnapshot(`
      "\`\`\`text
      Status: awaiting_approval
      Run: acme/api#12, iteration 0 of 5, attempt 1
      Head: a1b2c3d
      Approvals: 0 of 1
      Waits until: 2026-11-22T10:00:00Z
      Confidence: 1.00 (high), decision wait
      Repository: api
        Summary: 1 file changed, +30, -5
        modified src/login.ts (+30/-5)
      [PASS] api:test (exit code: 0)
      \`\`\`

      [Files](https://github.com/acme/api/pull/12/files), [checks](https://github.com/acme/api/pull/12/checks).

      What you can say now (and \`/status\`, \`/diff\`, \`/logs\`, \`/why\`, \`/help\` at any time):

      - \`/steer [--now] <what to do differently>\`: Redirect the agent: what follows is the prompt of the next iteration. \`--now\` stops the attempt at work.
      - \`/approve [sha] [--despite <verifier>]\`: Approve the commit on show. \`--despite\` goes past a red verifier, on the record (maintain or admin).
      - \`/reject <reason>\`: Close the pull request and keep the branch; the reason is kept too.
      - \`/cancel\`: Stop the run and close the pull request; the branch is kept.
      - \`/retry\`: Try again: another attempt at the same iteration, with a fresh budget of attempts.
      - \`/verify\`: Run the verifiers again on the head, without the agent."
    `);
  });

  test('/status tells the facts of every phase', () => {
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
      "Status: queued / Waits for: the verifiers / Confidence: 1.00 (high), decision wait
      Status: verifying / Held until: T / Confidence: 1.00 (high), decision wait
      Status: paused / Why: branch_deleted / Confidence: 1.00 (high), decision wait
      Status: approved / Approved by: grace / Finish: checking
      Status: done / Merged: yes / Confidence: 1.00 (high), decision wait
      Status: rejected / Rejected by: ada / Reason: wrong place
      Status: cancelled / Reason: nothing to do / Confidence: 1.00 (high), decision wait
      Status: timed_out / Was: awaiting_approval / Waited until: T
      Status: failed / Why: disk full / Reference: r-1"
    `);
  });

  test('/why', async () => {
    const gates = [{ rule: 'deletes-files', severity: 'high', evidence: 'src/a|b.ts' } as const];
    expect(await say({ say: 'why' }, awaiting({ shown: shownAt(head, { gates }) }))).toMatchInlineSnapshot(`
      "**Confidence** 1.00, high: 1 of 1 verifiers passed, 0 of 2 retries used, nothing is destroyed, 2 of 2 tool calls succeeded. It waits for a human because a gate fired.

      | component | weight | value | evidence |
      |---|---|---|---|
      | verifiers | 0.3 | 1.00 | 1 of 1 verifiers passed |
      | no_retries | 0.2 | 1.00 | 0 of 2 retries used |
      | not_destructive | 0.1 | 1.00 | nothing is destroyed |
      | tool_calls | 0.1 | 1.00 | 2 of 2 tool calls succeeded |

      Score of \`a1b2c3d\`: the weighted mean (weights sum to 0.70), formula \`coxswain-1\`.

      **Gates**

      - \`deletes-files\` (high): src/a\\|b.ts"
    `);
    expect(await say({ say: 'why' }, aState())).toMatchInlineSnapshot(
      `"There is no confidence to explain: \`bbbbbbb\` has not been verified yet. \`/status\` tells where the run stands."`,
    );
  });

  test('/help', async () => {
    expect(await say({ say: 'help' })).toMatchInlineSnapshot(`
      "The run is \`awaiting_approval\`. Commands stand at the beginning of a comment; \`/coxswain approve\` says the same as \`/approve\`.

      | say | what it does | takes | now |
      |---|---|---|---|
      | \`/run <task>\` | Start a run on this issue, or adopt this pull request and work on its branch. | write |  |
      | \`/steer [--now] <what to do differently>\` | Redirect the agent: what follows is the prompt of the next iteration. \`--now\` stops the attempt at work. | write | yes |
      | \`/approve [sha] [--despite <verifier>]\` | Approve the commit on show. \`--despite\` goes past a red verifier, on the record (maintain or admin). | write | yes |
      | \`/reject <reason>\` | Close the pull request and keep the branch; the reason is kept too. | write | yes |
      | \`/cancel\` | Stop the run and close the pull request; the branch is kept. | write | yes |
      | \`/retry\` | Try again: another attempt at the same iteration, with a fresh budget of attempts. | write | yes |
      | \`/verify\` | Run the verifiers again on the head, without the agent. | write | yes |
      | \`/resume\` | Go on with a run that is paused or timed out. | write |  |
      | \`/status\` | Say where the run stands. | read | yes |
      | \`/diff [path] [--full]\` | Show what has changed, of one file, folder or glob if you name it. | read | yes |
      | \`/logs [verifier]\` | Show what the verifiers printed, or one of them. | read | yes |
      | \`/why\` | Explain the confidence: its components, weights and evidence. | read | yes |
      | \`/help\` | List what can be said now. | read | yes |"
    `);
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

      Not all of it fits here: [all changes](https://github.com/acme/api/pull/12/files)."
    `);
    expect(await say({ say: 'diff', path: 'none', full: false })).toMatchInlineSnapshot(
      `"No changes in \`none\`. \`/diff\` without a path shows all of them."`,
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
      \`\`\`\`"
    `);
    expect(await say({ say: 'logs', verifier: 'api:test' }, state)).toContain('[PASS]');
    expect(await say({ say: 'logs', verifier: 'build' }, state)).toMatchInlineSnapshot(
      `"There is no verifier \`build\`. Those that ran are \`test\`, \`lint\`."`,
    );
    expect(await say({ say: 'logs', verifier: null }, aState())).toMatchInlineSnapshot(
      `"No verifier has spoken yet. \`/status\` tells where the run stands."`,
    );
  });
});
