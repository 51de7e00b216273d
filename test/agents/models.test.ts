import { expect, test } from 'vitest';
import type { ReceivedRequest } from '../network/scripted-model.ts';
import { drive, failureOf } from './driving.ts';
import { claude, codex, copilot, gemini, opencode, qwen, type Real, reals } from './real.ts';

/** The model that a request is for: Gemini's are in the path. */
function modelOf({ path, body }: ReceivedRequest): string {
  return body?.model ?? /\/models\/([^:]+):/.exec(path)?.[1];
}

const chosen: readonly [Real, string, string][] = [
  [claude, 'claude-sonnet-4-5', 'claude-sonnet-4-5'],
  [codex, 'gpt-5.5', 'gpt-5.5'],
  [opencode, 'openai/gpt-5.5', 'gpt-5.5'],
  [{ ...opencode, provider: 'api.anthropic.com' }, 'anthropic/claude-opus-4-5', 'claude-opus-4-5'],
  [{ ...opencode, provider: 'generativelanguage.googleapis.com' }, 'google/gemini-2.5-pro', 'gemini-2.5-pro'],
  [gemini, 'gemini-2.5-flash', 'gemini-2.5-flash'],
  [copilot, 'gpt-5.5', 'gpt-5.5'],
  [qwen, 'qwen3-coder-plus', 'qwen3-coder-plus'],
];

const tested = chosen.filter(([{ choice }]) => reals.some((real) => real.choice.use === choice.use));

test.each(tested.map(([real, model, asked]) => ({ use: real.choice.use, real, model, asked })))(
  '$use asks the model $model',
  async ({ real, model, asked }) => {
    const driven = await drive(real, { choice: { model } });
    expect(await driven.done).toMatchObject({ kind: 'completed', report: { summary: 'Done.' } });
    expect(driven.requests().map(modelOf)).toContain(asked);
    expect(driven.blocked()).toEqual([]);
  },
);

/** Gemini CLI asks a small model which one to take, whose answer has a form that is not scripted. */
const withOwn = [claude, codex, opencode, qwen].filter((real) => reals.includes(real));

test.each(withOwn)('$choice.use has a model of its own', async ({ choice: { use }, ...real }) => {
  const driven = await drive({ ...real, choice: { use } });
  expect(await driven.done).toMatchObject({ kind: 'completed' });
  expect(driven.blocked()).toEqual([]);
});

test.runIf(reals.includes(copilot))('copilot has to be told its model', async () => {
  const driven = await drive({ ...copilot, choice: { use: 'copilot' } });
  expect(failureOf(await driven.done)).toEqual({
    kind: 'agent_unusable',
    message: 'GitHub Copilot CLI has to be told its model, as in `agent: { use: copilot, model: gpt-5.5 }`',
  });
});

test.runIf(reals.includes(codex))('codex thinks as hard as it is told', async () => {
  const driven = await drive(codex, { choice: { effort: 'high' } });
  await driven.done;
  expect(driven.requests()[0]?.body.reasoning).toMatchObject({ effort: 'high' });
});

const ofAnthropic = [claude, { ...opencode, provider: 'api.anthropic.com' as const }];
const tokens = ofAnthropic.flatMap((real) =>
  ['ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'].map((name) => ({ use: real.choice.use, real, name })),
);

test.each(tokens.filter(({ use }) => reals.some(({ choice }) => choice.use === use)))(
  '$use works with a token in $name',
  async ({ real, name }) => {
    const token = ['sk', 'ant', 'oat01', 'tokenOfTheOperator'].join('-');
    const model = real.choice.use === 'opencode' ? { model: 'anthropic/claude-opus-4-5' } : {};
    const driven = await drive(real, { keys: { [name]: token }, choice: model });
    expect(await driven.done).toMatchObject({ kind: 'completed' });
    expect(driven.requests()[0]?.headers.authorization).toBe(`Bearer ${token}`);
    expect(JSON.stringify(driven.events)).not.toContain(token);
  },
);
