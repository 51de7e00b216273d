import { createInterface } from 'node:readline/promises';
import { agentProfiles, profileNames } from '../../config/agent-profiles.ts';
import type { ProfileName } from '../../steering/settings.ts';

/** Where questions are put, and answered. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/** The person ended the conversation, by Ctrl-C or Ctrl-D, so nothing is done. */
export class NotAnswered extends Error {
  override name = 'NotAnswered';

  constructor() {
    super('not answered, so nothing was written');
  }
}

/** Asks which agent is to work; the usual one is what an empty answer means. */
export async function askAgent(terminal: Terminal, usual: ProfileName): Promise<ProfileName> {
  const rows = profileNames.map((name, index) => {
    const { title, keys } = agentProfiles[name];
    return `  ${index + 1}  ${name.padEnd(9)} ${title}, with the key ${keys[0] ?? ''}\n`;
  });
  terminal.output.write(`\nWhich agent works here?\n${rows.join('')}`);
  for (;;) {
    const answer = (await ask(terminal, `A number or a name [${usual}]: `)).toLowerCase();
    const chosen = profileNames[Number(answer) - 1] ?? profileNames.find((name) => name === answer);
    if (answer === '') return usual;
    if (chosen !== undefined) return chosen;
    terminal.output.write(`There is no agent ${JSON.stringify(answer)} in this list.\n`);
  }
}

/** Asks a question to which yes is the usual answer. */
export async function askYes(terminal: Terminal, question: string): Promise<boolean> {
  return /^(?:y|yes)?$/i.test(await ask(terminal, `${question} [Y/n] `));
}

/** One line. Throws `NotAnswered`. */
async function ask({ input, output }: Terminal, question: string): Promise<string> {
  const lines = createInterface({ input, output });
  try {
    return await new Promise<string>((resolve, reject) => {
      const onEnd = () => {
        output.write('\n');
        reject(new NotAnswered());
      };
      lines.once('SIGINT', onEnd).once('close', onEnd);
      lines.question(question).then((answer) => resolve(answer.trim()), reject);
    });
  } finally {
    lines.removeAllListeners('close');
    lines.close();
  }
}
