import { Conversation, NotAnswered } from './ask.ts';
import { UsageError } from './exit.ts';

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
