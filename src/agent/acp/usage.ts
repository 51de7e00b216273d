import type { Reading } from '../../profiles/profile.ts';
import { at } from '../../profiles/reading.ts';
import type { AgentEvent } from '../port.ts';
import { numberAt as anyNumberAt, textAt } from './values.ts';

type UsageEvent = Extract<AgentEvent, { type: 'usage' }>;

/** What an agent says it has used. It says little, and not all of that is true: our own endpoint counts. */
export class Usage {
  readonly #countsSession: boolean;
  #usd = 0;
  #tokens = 0;

  constructor({ countsSession }: Pick<Reading, 'countsSession'>) {
    this.#countsSession = countsSession === true;
  }

  /** Of a `usage_update`, whose cost is that of the session so far. */
  ofUpdate(update: unknown): UsageEvent | undefined {
    const amount = numberAt(update, 'cost', 'amount');
    if (amount === undefined || textAt(update, 'cost', 'currency') !== 'USD') return undefined;
    const usd = amount - this.#usd;
    if (usd <= 0) return undefined;
    this.#usd = amount;
    return { type: 'usage', usd };
  }

  /** Of the answer to a prompt, which is for that turn, or for all turns until then. */
  ofTurn(answer: unknown): UsageEvent | undefined {
    const usage = at(answer, ['usage']) ?? at(answer, ['_meta', 'quota', 'token_count']);
    const counted = numberAt(usage, 'totalTokens') ?? sumOf(usage);
    const tokens = this.#countsSession ? counted - this.#tokens : counted;
    this.#tokens = counted;
    return tokens > 0 ? { type: 'usage', tokens } : undefined;
  }
}

/** Of input and output; what is read from a cache is part of the input. */
function sumOf(usage: unknown): number {
  const names = ['inputTokens', 'outputTokens', 'input_tokens', 'output_tokens'];
  return names.reduce((sum, name) => sum + (numberAt(usage, name) ?? 0), 0);
}

/** Of what is beyond all measure a measure: sums of it would be no numbers any more. */
function numberAt(...args: Parameters<typeof anyNumberAt>): number | undefined {
  const found = anyNumberAt(...args);
  return found && Math.max(0, Math.min(found, mostUsed));
}

const mostUsed = 1e12;
