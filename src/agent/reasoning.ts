import type { Cost } from '../steering/attempt-result.ts';
import type { AgentEvent } from './port.ts';
import { mebibyte, Tail } from './process/child.ts';

/** The log of an agent's messages and tool calls, limited to the last MiB, and what it cost. */
export class ReasoningLog {
  readonly #tail = new Tail(mebibyte);
  readonly #now: () => Date;
  #speaking: string | undefined;
  #cost: Cost = {};

  constructor(now: () => Date = () => new Date()) {
    this.#now = now;
  }

  add(event: AgentEvent): void {
    switch (event.type) {
      case 'text':
        this.#speak('AGENT', event.text);
        break;
      case 'thought':
        this.#speak('THOUGHT', event.text);
        break;
      case 'notice':
        this.#entry('COXSWAIN', event.text);
        break;
      case 'tool_open':
        this.#entry('TOOL', `${event.id} ${event.kind}: ${event.command ?? event.title}`);
        break;
      case 'tool_close':
        this.#entry('TOOL', `${event.id} ${event.outcome}${exitCode(event.exit_code)}`);
        break;
      case 'usage':
        this.#cost = sum(this.#cost, event);
    }
  }

  get cost(): Cost {
    return this.#cost;
  }

  text(): string {
    this.#pause();
    return this.#tail.text();
  }

  /** Speech arrives in chunks: consecutive chunks of one speaker share a heading. */
  #speak(speaker: string, text: string): void {
    if (this.#speaking !== speaker) {
      this.#pause();
      this.#write(`[${clock(this.#now())}] [${speaker}] `);
      this.#speaking = speaker;
    }
    this.#write(text);
  }

  #entry(tag: string, text: string): void {
    this.#pause();
    this.#write(`[${clock(this.#now())}] [${tag}] ${text}\n\n`);
  }

  #pause(): void {
    if (this.#speaking !== undefined) this.#write('\n\n');
    this.#speaking = undefined;
  }

  #write(text: string): void {
    this.#tail.add(Buffer.from(text));
  }
}

/** `2025-08-28 15:30:45`, in UTC. */
function clock(time: Date): string {
  return time.toISOString().slice(0, 19).replace('T', ' ');
}

function exitCode(code: number | undefined): string {
  return code === undefined ? '' : ` (exit code ${code})`;
}

function sum(cost: Cost, more: Cost): Cost {
  const tokens = (cost.tokens ?? 0) + (more.tokens ?? 0);
  const usd = (cost.usd ?? 0) + (more.usd ?? 0);
  return { ...(tokens > 0 && { tokens }), ...(usd > 0 && { usd }) };
}
