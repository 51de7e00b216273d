import type { Writable } from 'node:stream';
import { type AnyMessage, DEFAULT_MAX_MESSAGE_BYTES, type Stream } from '@agentclientprotocol/sdk';
import { at } from '../port/agent-values.ts';
import { Tail } from '../process/child.ts';

interface WireEvents {
  /** Called in order, and before anything that came later is looked at. */
  onNotification(method: string, params: unknown): void;
  /** What the agent sends can no longer be understood: why, in part of a sentence. */
  onUnusable(why: string): void;
}

/** No agent waits for the answers of more. */
const maxUnanswered = 1_000;
const keptStrayBytes = 4_096;

/**
 * Messages, one JSON object a line, over the standard input and output of an agent. Whatever else it prints
 * stops nobody: it is kept for people, and the library of the protocol never sees it, which would write about
 * it to our own standard error.
 */
export class Wire {
  /** What the library reads and writes: requests of the agent, and answers to ours. */
  readonly stream: Stream;
  readonly #events: WireEvents;
  readonly #lines: LineReader;
  readonly #stray = new Tail(keptStrayBytes);
  readonly #asked = new Set<unknown>();
  #unanswered = 0;
  #input: ReadableStreamDefaultController<AnyMessage> | undefined;
  #attach: (stdin: Writable) => void = () => undefined;
  #stdin: Writable | undefined;

  constructor(events: WireEvents) {
    this.#events = events;
    this.#lines = new LineReader(DEFAULT_MAX_MESSAGE_BYTES, () => events.onUnusable(tooLong));
    const attached = new Promise<Writable>((resolve) => {
      this.#attach = resolve;
    });
    this.stream = {
      readable: new ReadableStream({
        start: (controller) => this.#open(controller),
        // The conversation is over; what still comes is for nobody.
        cancel: () => this.#open(undefined),
      }),
      writable: new WritableStream({ write: async (message) => this.#send(await attached, message) }),
    };
  }

  /** What waited to be sent is sent now. */
  attach(stdin: Writable): void {
    this.#stdin = stdin;
    this.#attach(stdin);
  }

  /** Nothing more will be sent. */
  end(): void {
    this.#stdin?.end();
  }

  receive(chunk: Buffer): void {
    for (const line of this.#lines.push(chunk)) if (line.trim() !== '') this.#read(line);
  }

  /** The end of what it printed besides messages. */
  get stray(): string {
    return this.#stray.text();
  }

  #open(controller: ReadableStreamDefaultController<AnyMessage> | undefined): void {
    this.#input = controller;
  }

  #read(line: string): void {
    const message = parsed(line);
    const method = at(message, ['method']);
    const id = at(message, ['id']);
    if (message === undefined) this.#stray.add(Buffer.from(`${line.slice(0, keptStrayBytes)}\n`));
    else if (typeof method !== 'string') this.#readAnswer(message, id);
    else if (id === undefined) this.#notice(message, method);
    else if (isId(id)) this.#readRequest(message);
  }

  /** An answer to nothing is dropped. */
  #readAnswer(message: AnyMessage, id: unknown): void {
    if (this.#asked.delete(id)) this.#input?.enqueue(message);
  }

  #readRequest(message: AnyMessage): void {
    this.#unanswered += 1;
    if (this.#unanswered > maxUnanswered) this.#events.onUnusable(tooMany);
    else this.#input?.enqueue(message);
  }

  #notice(message: AnyMessage, method: string): void {
    // It withdraws a request of its own, and the library knows which.
    if (method === '$/cancel_request') this.#input?.enqueue(message);
    else this.#events.onNotification(method, at(message, ['params']));
  }

  async #send(stdin: Writable, message: AnyMessage): Promise<void> {
    if ('method' in message && 'id' in message) this.#asked.add(message.id);
    if (!('method' in message)) this.#unanswered -= 1;
    if (!stdin.writable || stdin.write(`${JSON.stringify(message)}\n`)) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        stdin.off('drain', done).off('close', done);
        resolve();
      };
      stdin.on('drain', done).on('close', done);
    });
  }
}

const tooLong = `sent a message of more than ${DEFAULT_MAX_MESSAGE_BYTES / 1024 / 1024} MiB`;
const tooMany = `asked for ${maxUnanswered.toLocaleString('en')} things at once without waiting for an answer`;

function isId(id: unknown): boolean {
  return typeof id === 'string' || Number.isSafeInteger(id);
}

/** Undefined for what is not a JSON object. */
function parsed(line: string): AnyMessage | undefined {
  try {
    const value: unknown = JSON.parse(line);
    // The rest is looked at where it is needed.
    return typeof value === 'object' && !Array.isArray(value)
      ? ((value ?? undefined) as AnyMessage)
      : undefined;
  } catch {
    return undefined; // a banner, a warning, half a message
  }
}

/** Cuts a stream into lines, none of which may be longer than so many bytes. */
class LineReader {
  readonly #maxBytes: number;
  readonly #onTooLong: () => void;
  #parts: Buffer[] = [];
  #bytes = 0;
  #tooLong = false;

  constructor(maxBytes: number, onTooLong: () => void) {
    this.#maxBytes = maxBytes;
    this.#onTooLong = onTooLong;
  }

  /** The lines that this completes. None after one that is too long, for nobody knows where it ends. */
  push(chunk: Buffer): readonly string[] {
    const lines: string[] = [];
    let from = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, from)) {
      this.#keep(chunk.subarray(from, end));
      if (!this.#tooLong) lines.push(this.#take());
      from = end + 1;
    }
    this.#keep(chunk.subarray(from));
    return lines;
  }

  #keep(part: Buffer): void {
    if (this.#tooLong || part.length === 0) return;
    this.#parts.push(part);
    this.#bytes += part.length;
    if (this.#bytes <= this.#maxBytes) return;
    this.#tooLong = true;
    this.#parts = [];
    this.#onTooLong();
  }

  #take(): string {
    const line = Buffer.concat(this.#parts).toString('utf8');
    this.#parts = [];
    this.#bytes = 0;
    return line;
  }
}
