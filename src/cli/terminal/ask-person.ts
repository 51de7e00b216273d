import { createInterface, type Interface } from 'node:readline';
import { isatty } from 'node:tty';
import { UsageError } from './exit.ts';

/** The person ended the conversation, by Ctrl-C or Ctrl-D, so nothing is done. */
export class NotAnswered extends Error {
  override name = 'NotAnswered';

  constructor() {
    super('not answered, so nothing was written');
  }
}

/** Questions, each with the line that answers it; what is typed ahead answers the next one. */
export class Conversation {
  readonly #output: NodeJS.WritableStream;
  readonly #lines: Interface;
  readonly #typed: string[] = [];
  #waiting: { resolve(line: string): void; reject(fault: Error): void } | undefined;
  #ended = false;

  constructor({ input, output }: { input: NodeJS.ReadableStream; output: NodeJS.WritableStream }) {
    this.#output = output;
    this.#lines = createInterface({ input, output });
    this.#lines.on('line', (line) => {
      if (this.#waiting === undefined) this.#typed.push(line);
      else this.#waiting.resolve(line);
      this.#waiting = undefined;
    });
    this.#lines.on('SIGINT', () => this.close());
    this.#lines.on('close', () => {
      this.#ended = true;
      this.#waiting?.reject(new NotAnswered());
    });
  }

  tell(text: string): void {
    this.#output.write(text);
  }

  /** The next line, without the space around it. Throws `NotAnswered`. */
  async ask(question: string): Promise<string> {
    this.#lines.setPrompt(question);
    this.#lines.prompt();
    const typed = this.#typed.shift();
    if (typed !== undefined) return typed.trim();
    if (this.#ended) throw new NotAnswered();
    const line = new Promise<string>((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
    return (await line).trim();
  }

  close(): void {
    this.#lines.close();
  }
}

/** Whether somebody is there to answer. */
export function isAnswerable(): boolean {
  return isatty(0) && isatty(1);
}

/** Asks a question to which yes is the usual answer. */
export async function askYes(conversation: Conversation, question: string): Promise<boolean> {
  return /^(?:y|yes)?$/i.test(await conversation.ask(`${question} [Y/n] `));
}

/**
 * Asks once; only a yes is one. Without a terminal there is nobody to ask, so the person has to have said so
 * beforehand.
 */
export async function confirmed(question: string, yes: boolean): Promise<boolean> {
  if (yes) return true;
  if (!process.stdin.isTTY)
    throw new UsageError('there is no terminal in which you could confirm it: --yes does');
  const conversation = new Conversation({ input: process.stdin, output: process.stderr });
  try {
    return /^y(?:es)?$/i.test(await conversation.ask(`${question} [y/N] `));
  } catch (fault) {
    if (fault instanceof NotAnswered) return false;
    throw fault;
  } finally {
    conversation.close();
  }
}
