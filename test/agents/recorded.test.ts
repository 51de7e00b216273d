import { describe, expect, test } from 'vitest';
import { drive } from './driving.ts';
import { reals } from './real.ts';

/**
 * What the recordings in test/agent/acp/recorded show. They are made anew, for a new version of an agent, with
 * COXSWAIN_RECORD_AGENTS=test/agent/acp/recorded npm run test:agents -- recorded
 */
describe.each(reals)('$choice.use', (real) => {
  test('edits, runs a command that fails, and is refused another', async () => {
    const script = [...real.edit, real.shell('exit 3'), real.shell('rm -rf /tmp/x'), { text: 'All done.' }];
    const driven = await drive(real, {
      script: [...script, { text: 'All done.' }],
      decide: ({ command }) =>
        command?.startsWith('rm') ? { allow: false, reason: 'nobody allowed it' } : { allow: true },
    });
    const outcome = await driven.done;
    expect(outcome).toMatchObject({ kind: 'completed', report: { summary: 'All done.' } });
    const { tool_calls } = outcome.kind === 'completed' ? outcome.report : { tool_calls: [] };
    const ends = tool_calls.map(({ outcome: how }) => how).slice(-2);
    expect(ends).toEqual([real.tellsExitCodes ? 'failed' : 'unknown', 'denied']);
  });
});
