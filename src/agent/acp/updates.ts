import type { Reading } from '../../profiles/profile.ts';
import type { AgentEvent } from '../port/agent-adapter.ts';
import { numberAt as anyNumberAt, at, listAt, textAt } from '../port/agent-values.ts';
import type { ToolCalls } from './tool-calls.ts';

interface Options {
  readonly reading: Reading;
  readonly calls: ToolCalls;
  onEvent(event: AgentEvent): void;
}

/** Turns what an agent reports into events. What we do not know of is left out. */
export class Updates {
  readonly #options: Options;
  readonly #usage: Usage;
  #plan = '';
  #current = '';
  #piece = '';
  #last = '';
  #callsBefore = 0;
  #spoken = 0;

  constructor(options: Options) {
    this.#options = options;
    this.#usage = new Usage(options.reading);
  }

  /** What it said in this turn after its last tool call. */
  get closingWords(): string {
    this.#closeMessage();
    return this.#current.trim();
  }

  /** The last piece of that: an error is sent whole, perhaps after half an answer. */
  get lastPiece(): string {
    return this.closingWords === '' ? '' : this.#piece.trim();
  }

  /** The last thing that it said. */
  get lastMessage(): string {
    return this.closingWords || this.#last;
  }

  /** Grows when it says something or begins a tool call. */
  get activity(): number {
    return this.#spoken + this.#options.calls.count;
  }

  /** Takes in the `update` of one `session/update`. */
  receive(update: unknown): void {
    switch (textAt(update, 'sessionUpdate')) {
      case 'agent_message_chunk':
        this.#say(textOf(update));
        break;
      case 'agent_thought_chunk':
        this.#event('thought', textOf(update));
        break;
      case 'tool_call':
      case 'tool_call_update':
        this.#call(update);
        break;
      case 'plan':
        this.#newPlan(update);
        break;
      case 'notice':
        this.#event('notice', noticeIn(update));
        break;
      case 'usage_update':
        this.#emit(this.#usage.ofUpdate(update));
    }
  }

  /** The answer to a prompt: the end of a turn. */
  endTurn(answer: unknown): void {
    this.#options.calls.abandon();
    this.#emit(this.#usage.ofTurn(answer));
  }

  /** What it said before belongs to an earlier turn. */
  beginTurn(): void {
    this.#last = this.lastMessage;
    this.#current = '';
  }

  #say(text: string): void {
    if (text === '' || this.#options.reading.noise?.some((noise) => noise.test(text))) return;
    this.#closeMessage();
    this.#spoken += 1;
    this.#piece = text;
    if (this.#current.length < keptOfMessage) this.#current += text.slice(0, keptOfMessage);
    this.#event('text', text);
  }

  #closeMessage(): void {
    if (this.#options.calls.count === this.#callsBefore) return;
    this.#callsBefore = this.#options.calls.count;
    this.#last = this.#current.trim() || this.#last;
    this.#current = '';
  }

  #call(update: unknown): void {
    const id = textAt(update, 'toolCallId');
    if (id !== undefined) this.#options.calls.see(id, update);
  }

  #newPlan(update: unknown): void {
    const entries = listAt(update, 'entries').slice(0, maxPlanned).map(planned);
    const plan = entries.join('\n');
    if (plan === this.#plan || plan === '') return;
    this.#plan = plan;
    this.#event('notice', `the plan of the agent:\n${plan}`);
  }

  #event(type: 'text' | 'thought' | 'notice', text: string): void {
    if (text !== '') this.#emit({ type, text });
  }

  #emit(event: AgentEvent | undefined): void {
    if (event !== undefined) this.#options.onEvent(event);
  }
}

/** Plans and reviews are last messages, too. */
const keptOfMessage = 100_000;
const maxPlanned = 50;

function textOf(update: unknown): string {
  const type = textAt(update, 'content', 'type');
  if (type === 'text') return textAt(update, 'content', 'text') ?? '';
  return type === undefined ? '' : `[${type}]`;
}

function noticeIn(update: unknown): string {
  const parts = [textAt(update, 'title'), textAt(update, 'description')];
  return parts.filter((part) => part !== undefined).join(': ');
}

function planned(entry: unknown): string {
  const mark = marks.get(textAt(entry, 'status') ?? '') ?? ' ';
  return `[${mark}] ${textAt(entry, 'content') ?? ''}`;
}

const marks: ReadonlyMap<string, string> = new Map([
  ['completed', 'x'],
  ['in_progress', '>'],
]);

type UsageEvent = Extract<AgentEvent, { type: 'usage' }>;

/** What an agent says it has used. It says little, and not all of that is true: our own endpoint counts. */
class Usage {
  readonly #countsSession: boolean;
  #usd = 0;
  #tokens = 0;

  constructor({ countsSession }: Pick<Reading, 'countsSession'>) {
    this.#countsSession = countsSession === true;
  }

  /** What a `usage_update` adds, whose cost is that of the session so far. */
  ofUpdate(update: unknown): UsageEvent | undefined {
    const amount = numberAt(update, 'cost', 'amount');
    if (amount === undefined || textAt(update, 'cost', 'currency') !== 'USD') return undefined;
    const usd = amount - this.#usd;
    if (usd <= 0) return undefined;
    this.#usd = amount;
    return { type: 'usage', usd };
  }

  /** What the answer to a prompt adds, whose numbers are for that turn, or for all turns until then. */
  ofTurn(answer: unknown): UsageEvent | undefined {
    const usage = at(answer, ['usage']) ?? at(answer, ['_meta', 'quota', 'token_count']);
    const counted = numberAt(usage, 'totalTokens') ?? sumOf(usage);
    const tokens = this.#countsSession ? counted - this.#tokens : counted;
    this.#tokens = counted;
    return tokens > 0 ? { type: 'usage', tokens } : undefined;
  }
}

/** Adds input and output; what is read from a cache is part of the input. */
function sumOf(usage: unknown): number {
  const names = ['inputTokens', 'outputTokens', 'input_tokens', 'output_tokens'];
  return names.reduce((sum, name) => sum + (numberAt(usage, name) ?? 0), 0);
}

/** Bounds what is beyond all measure: sums of it would be no numbers any more. */
function numberAt(...args: Parameters<typeof anyNumberAt>): number | undefined {
  const found = anyNumberAt(...args);
  return found && Math.max(0, Math.min(found, mostUsed));
}

const mostUsed = 1e12;
