import type { Message } from '../../src/notify/target-message.ts';

/** That people are waited for. */
export function aMessage(given: Partial<Message> = {}): Message {
  return {
    id: 'msg_1',
    announcement: {
      event: 'approval_requested',
      time: '2025-03-03T12:00:00.000Z',
      actor: null,
      run: 'acme/api#7',
      interaction: 'approval:7:9',
      request: {
        task_id: 'fix-login',
        subtask_id: 'implement',
        reason: 'iteration 0 is verified with high confidence',
        proposed_action: 'mark #7 as ready for review at 1111111',
        risk_level: 'low',
        details: {
          summary: '1 file changed, +30, -5',
          files: [{ path: 'src/login.ts', status: 'modified', additions: 30, deletions: 5 }],
          commands: [],
          verifiers: [{ name: 'test', success: true, required: true }],
          gates: [],
        },
        auto_approve_timeout: null,
        created_at: '2025-03-03T12:00:00.000Z',
      },
    },
    title: 'acme/api#7: Coxswain finished Fix the login',
    lines: ['The session is renewed on Mondays too.', 'api: 1 file changed, +30, -5'],
    url: 'https://github.com/acme/api/pull/7',
    ...given,
  };
}

/** What strangers and agents may write. */
export const hostileLines = [
  '<!channel> <@U123> @here *bold* _it_ `code` &amp; :tada:',
  '<https://evil.example|Approve> [Approve](https://evil.example) <a href="https://evil.example">Approve</a>',
  'run\u202etxt.exe \u0007\u001b]8;;https://evil.example\u0007Approve\u001b]8;;\u0007 a\u200bb \u{e0041}c',
  '- [x] # **Heading**\r\n> quote\ttab \ud800',
  'x'.repeat(50_000),
];
