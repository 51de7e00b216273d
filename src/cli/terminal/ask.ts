import { createInterface, type Interface } from 'node:readline';
import { type ProfileName, profileNames, profiles } from '../../profiles/index.ts';

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

/** Asks which agent is to work; the usual one is what an empty answer means. */
export async function askAgent(conversation: Conversation, usual: ProfileName): Promise<ProfileName> {
  const rows = profileNames.map((name, index) => {
    const { title, keys } = profiles[name];
    return `  ${index + 1}  ${name.padEnd(9)} ${title}, with the key ${keys[0] ?? ''}\n`;
  });
  conversation.tell(`\nWhich agent works here?\n${rows.join('')}`);
  for (;;) {
    const answer = (await conversation.ask(`A number or a name [${usual}]: `)).toLowerCase();
    if (answer === '') return usual;
    const chosen = profileNames[Number(answer) - 1] ?? profileNames.find((name) => name === answer);
    if (chosen !== undefined) return chosen;
    conversation.tell(`There is no agent ${JSON.stringify(answer)} in this list.\n`);
  }
}

/** Asks a question to which yes is the usual answer. */
export async function askYes(conversation: Conversation, question: string): Promise<boolean> {
  return /^(?:y|yes)?$/i.test(await conversation.ask(`${question} [Y/n] `));
}
