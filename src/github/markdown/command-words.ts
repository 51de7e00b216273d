import { commandNamed, commandNames } from '../../steering/commands/index.ts';
import { withoutInvisible } from '../../text/characters.ts';

/**
 * Whether a line starts with one of our commands, or nearly. It is cheap, has few false positives, and stands
 * apart from the parser, because most events have no command and then need not load that.
 */
export function mayContainCommand(text: string): boolean {
  for (const [, word = ''] of withoutInvisible(text).matchAll(wordsOfLines)) if (isOurWord(word)) return true;
  return false;
}

/** Whether a slash and this word may be for us. */
export function isOurWord(word: string): boolean {
  return word.length <= maxWordLength && (word.toLowerCase() === appName || commandNamed(word) !== undefined);
}

/** `/coxswain approve` is the same as `/approve`. */
export const appName = 'coxswain';
const maxWordLength = 1 + Math.max(appName.length, ...commandNames.map(({ length }) => length));
const wordsOfLines = /^[ \t]*\/([a-z][\w-]*)(?=\s|$)/gim;
