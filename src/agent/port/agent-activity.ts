import type { Progress, RecentCall } from '../../steering/shapes/agent-progress.ts';
import type { Cost } from '../../steering/shapes/attempt-result.ts';
import type { State } from '../../steering/state/state.ts';
import { endingOf, shortened } from '../../text/characters.ts';
import { redactAll } from '../../text/redact.ts';
import { mebibyte, Tail } from '../process/child.ts';
import type { AgentEvent } from './agent-adapter.ts';

/** The log of an agent's messages and tool calls, limited to the last MiB, and what it cost. */
export class ReasoningLog {
  readonly #tail = new Tail(mebibyte);
  readonly #now: () => Date;
  #speaking: string | undefined;
  /** What is said next begins a line. */
  #beginsLine = false;
  #cost: Cost = {};

  /** Goes on from an earlier log if there is one. */
  constructor(now: () => Date = () => new Date(), earlier = '') {
    this.#now = now;
    if (earlier.trim() === '') return;
    this.#write(`${earlier.trimEnd()}\n\n`);
    this.#entry('COXSWAIN', seam);
  }

  /** Somebody has answered the agent. */
  answered(text: string, at: Date = this.#now()): void {
    this.#pause();
    this.#write(userInput(text, at));
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
      this.#beginsLine = false;
    }
    this.#write(withoutEntries(text, this.#beginsLine));
    if (text !== '') this.#beginsLine = /[\n\r\u2028\u2029]$/.test(text);
  }

  #entry(tag: string, text: string): void {
    this.#pause();
    this.#write(`[${clock(this.#now())}] [${tag}] ${withoutEntries(text)}\n\n`);
  }

  #pause(): void {
    if (this.#speaking !== undefined) this.#write('\n\n');
    this.#speaking = undefined;
  }

  #write(text: string): void {
    this.#tail.add(Buffer.from(text));
  }
}

/** The words of an agent, in which no line begins as an entry does, such as with what people answered. */
function withoutEntries(text: string, beginsLine = false): string {
  return text.replace(beginsLine ? /^\[/gm : /(?<=[\n\r\u2028\u2029])\[/g, '> [');
}

const seam = 'the next attempt goes on from here';

function userInput(text: string, at: Date): string {
  const line = text.replace(/\r\n|\r/g, '\n').replaceAll('\n', '\\n');
  return `[${clock(at)}] [USER_INPUT] User answered: "${line}"\n\n`;
}

/** The log of a parked attempt with the answers to its questions that people have given since it ended. */
export function withAnswers(
  log: string,
  { parked, interactions }: Pick<State, 'parked' | 'interactions'>,
): string {
  const ended = [...log.matchAll(/^\[(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\] \[/gm)].at(-1)?.[1] ?? '';
  const lines = interactions.flatMap(({ reply, by, settled_at, of }) => {
    const isOfParked = of?.iteration === parked?.iteration && of?.attempt === parked?.attempt;
    if (reply === undefined || by === 'coxswain' || !isOfParked) return [];
    const at = new Date(settled_at);
    const line = userInput(reply, at);
    return clock(at) < ended || log.includes(line.trimEnd()) ? [] : [line];
  });
  if (lines.length === 0) return log;
  return `${log.trim() === '' ? '' : `${log.trimEnd()}\n\n`}${lines.join('')}`;
}

const entryStart = /^(?=\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\] \[[A-Z_]+\] )/m;

/** What the latest attempt of a log did, without our own entries; empty if it cannot be read. */
export function actionsIn(log: string): string {
  const entries = log.split(entryStart).filter((entry) => /^\[\d{4}-/.test(entry));
  const attempts: string[][] = [[]];
  for (const entry of entries) {
    if (!entry.slice(22).startsWith('[COXSWAIN]')) attempts.at(-1)?.push(entry.trimEnd());
    else if (entry.trimEnd().endsWith(seam)) attempts.push([]);
  }
  return (attempts.findLast((each) => each.length > 0) ?? []).join('\n\n');
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
