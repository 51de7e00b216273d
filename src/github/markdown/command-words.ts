import { commandNamed, commandNames } from '../../steering/commands/index.ts';
import { withoutInvisible } from '../../text/characters.ts';

/** What tells that a text may have a command, apart from the parser: most events have none. */

/** Whether a line starts with one of our commands, or nearly; a cheap test with few false positives. */
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
