import type { Cost } from '../steering/attempt-result.ts';
import type { Progress, RecentCall } from '../steering/progress.ts';
import { endingOf, shortened } from '../text/cut.ts';
import { redactAll } from '../text/redact.ts';
import type { AgentEvent } from './port.ts';

const maxCalls = 10;
const maxSaying = 2_000;
const maxTitle = 200;

interface OpenCall extends RecentCall {
  readonly id: string;
}

/** Follows what an agent does, and keeps the end of it. */
export class ProgressOf {
  readonly #since = new Date().toISOString();
  #stage: Progress['stage'] = 'setup';
  #last: readonly OpenCall[] = [];
  #saying = '';
  #calls = { total: 0, failed: 0, denied: 0 };

  enter(stage: Progress['stage']): void {
    this.#stage = stage;
  }

  see(event: AgentEvent): void {
    if (event.type === 'text') this.#saying = endingOf(this.#saying + event.text, maxSaying);
    if (event.type === 'tool_open') this.#opened(event);
    if (event.type === 'tool_close') this.#closed(event);
  }

  get calls(): Progress['calls'] {
    return this.#calls;
  }

  now(cost: Cost, { near, secrets }: { near: readonly string[]; secrets: readonly string[] }): Progress {
    const last = this.#last.map(({ id: _, ...call }) => call);
    const shown = redactAll({ last, saying: this.#saying }, secrets);
    return { stage: this.#stage, since: this.#since, cost, calls: this.#calls, near, ...shown };
  }

  #opened({ id, kind, title, command }: Extract<AgentEvent, { type: 'tool_open' }>): void {
    const line = command === undefined ? {} : { command: shortened(command, maxTitle) };
    this.#last = [...this.#last, { id, kind, title: shortened(title, maxTitle), ...line }].slice(-maxCalls);
    this.#calls = { ...this.#calls, total: this.#calls.total + 1 };
  }

  #closed({ id, outcome }: Extract<AgentEvent, { type: 'tool_close' }>): void {
    this.#last = this.#last.map((call) => (call.id === id ? { ...call, outcome } : call));
    const { failed, denied } = this.#calls;
    if (outcome === 'failed') this.#calls = { ...this.#calls, failed: failed + 1 };
    if (outcome === 'denied') this.#calls = { ...this.#calls, denied: denied + 1 };
  }
}
