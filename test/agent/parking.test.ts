import { expect, onTestFinished, test } from 'vitest';
import { listed } from '../../src/agent/acp/tool-calls.ts';
import { runAgent } from '../../src/agent/attempt/run-agent.ts';
import { openWorkspace } from '../../src/agent/attempt/workspace.ts';
import { ProgressOf, ReasoningLog } from '../../src/agent/port/agent-activity.ts';
import { type Live, parking } from '../../src/agent/port/agent-adapter.ts';
import type { ToolCall } from '../../src/steering/shapes/attempt-result.ts';
import type { AskedQuestion } from '../../src/steering/shapes/question.ts';
import { agentFixture, agreeing, default_branch, hold } from './agent-fixture.ts';
import { settingsOf, stateOf } from './states.ts';

/** Runs a shell script as an agent, and people who answer nothing. */
async function run(script: string, signal = new AbortController().signal) {
  const on = await agentFixture({});
  const agent = { use: 'command', command: ['sh', '-c', script], timeout_s: 20 } as const;
  const state = stateOf({ head: on.head, settings: settingsOf({ agent }) });
  const assignment = { state, hold, commit: on.head, default_branch };
  const { context, remove } = await openWorkspace(assignment, on.resources);
  onTestFinished(remove);
  const questions: [AskedQuestion, boolean][] = [];
  const live: Live = {
    ...agreeing,
    question: async (asked, until) => {
      questions.push([asked, until.reason === parking]);
      return { kind: 'parked' };
    },
  };
  const working = { assignment, resources: on.resources, live, prompt: '', images: [], skills: [] };
  const result = await runAgent(
    context,
    { ...working, log: new ReasoningLog(), progress: new ProgressOf(), timeoutMs: 20_000 },
    signal,
  );
  return { result, questions };
}

test('however often an agent is stopped, its calls do not fill the ledger', () => {
  const calls = Array.from({ length: 3_000 }, (_, nth) => ({
    ...{ kind: 'execute', title: `${nth}`, outcome: 'ok' as const },
  }));
  let all: readonly ToolCall[] = [];
  for (let times = 0; times < 30; times++) all = listed([...all, ...listed(calls)]);
  expect(all).toHaveLength(2_001);
  expect(all.at(-1)).toEqual({ kind: 'execute', title: '88,000 more calls', outcome: 'ok' });
});

test.each(['done', 'uncertain', 'cannot'])('a question in a report (%s) parks its agent', async (status) => {
  const report = JSON.stringify({ summary: 'There are two sums', status, question: 'Which one?' });
  const { result, questions } = await run(`echo '${report}' > "$COXSWAIN_REPORT_FILE"`);
  expect(result).toMatchObject({ parked: 'question', outcome: { kind: 'cancelled' } });
  expect(questions).toEqual([[{ id: 'question-1', question: 'Which one?' }, true]]);
});

test('an agent that asks nothing is not parked, and is ended when nobody wants it any more', async () => {
  expect((await run('true')).result.parked).toBeUndefined();
  const { result } = await run('sleep 60', AbortSignal.timeout(300));
  expect(result).toMatchObject({ outcome: { kind: 'cancelled' } });
});
