import type { Cost } from '../../steering/shapes/attempt-result.ts';
import type { Progress, RecentCall } from '../../steering/shapes/progress.ts';
import { endingOf, shortened } from '../../text/cut.ts';
import { redactAll } from '../../text/redact.ts';
import type { AgentEvent } from '../port/agent.ts';

const maxCalls = 10;
const maxSaying = 2_000;
/** Kept in front of it, so that a secret is not recognized by its end alone; a private key is shorter. */
const margin = 6_000;
const maxKept = 4_000;
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
  #isSaying = false;
  #calls = { total: 0, failed: 0, denied: 0 };

  enter(stage: Progress['stage']): void {
    this.#stage = stage;
  }

  see(event: AgentEvent): void {
    // Agents report what they use in the middle of a word, too.
    if (event.type !== 'usage') this.#isSaying = event.type === 'text';
    if (event.type === 'text') this.#saying = endingOf(this.#saying + event.text, maxSaying + margin);
    if (event.type === 'tool_open') this.#opened(event);
    if (event.type === 'tool_close') this.#closed(event);
  }

  get calls(): Progress['calls'] {
    return this.#calls;
  }

  now(cost: Cost, { near, secrets }: { near: readonly string[]; secrets: readonly string[] }): Progress {
    const said = this.#isSaying ? withoutUnfinished(this.#saying) : this.#saying;
    // What is cut first may leave a part of a secret that is not recognized.
    const shown = redactAll({ last: this.#last, saying: said }, secrets);
    const last = shown.last.map(({ id: _, ...call }) => shortCall(call));
    const saying = endingOf(shown.saying, maxSaying);
    return { stage: this.#stage, since: this.#since, cost, calls: this.#calls, near, last, saying };
  }

  #opened({ id, kind, title, command }: Extract<AgentEvent, { type: 'tool_open' }>): void {
    const line = command === undefined ? {} : { command: shortened(command, maxKept) };
    this.#last = [...this.#last, { id, kind, title: shortened(title, maxKept), ...line }].slice(-maxCalls);
    this.#calls = { ...this.#calls, total: this.#calls.total + 1 };
  }

  #closed({ id, outcome }: Extract<AgentEvent, { type: 'tool_close' }>): void {
    this.#last = this.#last.map((call) => (isOpen(call, id) ? { ...call, outcome } : call));
    const { failed, denied } = this.#calls;
    if (outcome === 'failed') this.#calls = { ...this.#calls, failed: failed + 1 };
    if (outcome === 'denied') this.#calls = { ...this.#calls, denied: denied + 1 };
  }
}

/** Some agents number their calls anew. */
function isOpen(call: OpenCall, id: string): boolean {
  return call.id === id && call.outcome === undefined;
}

function shortCall({ title, command, ...call }: RecentCall): RecentCall {
  const line = command === undefined ? {} : { command: shortened(command, maxTitle) };
  return { ...call, title: shortened(title, maxTitle), ...line };
}

/** The last word may be the beginning of a secret whose rest is still to come. */
function withoutUnfinished(text: string): string {
  let from = text.length;
  while (from > 0 && /[\w+/=.-]/.test(text.charAt(from - 1))) from -= 1;
  return text.length - from < longestWord ? text : text.slice(0, from);
}

/** Shorter words are shown at once. */
const longestWord = 12;
