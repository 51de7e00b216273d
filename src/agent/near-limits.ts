import type { Cost } from '../steering/attempt-result.ts';
import type { Limits } from '../steering/settings.ts';

/** What a run has used, and its current attempt of tool calls. */
export interface Used extends Cost {
  readonly calls: number;
}

/** From this part of a limit on, people are told. */
const near = 0.8;

/** Which limits will soon be met, each in a sentence. */
export function nearLimits({ tokens = 0, usd = 0, calls }: Used, limits: Limits): readonly string[] {
  const { tokens: maxTokens, cost_usd: maxUsd, tool_calls: maxCalls } = limits;
  const sentence = (what: string, key: string) => `${what} are used (\`limits.${key}\`).`;
  return [
    ...(isNear(tokens, maxTokens)
      ? [sentence(`${count(tokens)} of ${count(maxTokens)} tokens of this run`, 'tokens')]
      : []),
    ...(isNear(usd, maxUsd)
      ? [sentence(`${usd.toFixed(2)} of ${maxUsd?.toFixed(2)} USD of this run`, 'cost_usd')]
      : []),
    ...(isNear(calls, maxCalls)
      ? [sentence(`${calls} of ${maxCalls} tool calls of this attempt`, 'tool_calls')]
      : []),
  ];
}

function isNear(used: number, limit: number | undefined) {
  return limit !== undefined && used >= limit * near;
}

function count(tokens: number | undefined = 0): string {
  return tokens.toLocaleString('en-US');
}
