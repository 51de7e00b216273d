import { parseCommand } from '../../github/markdown/command-parser.ts';
import { appName } from '../../github/markdown/command-words.ts';
import { type CommandName, commandNamed } from '../../steering/commands/index.ts';
import { withoutInvisible } from '../../text/characters.ts';

/** A command as a comment says it, without its slash: `approve abc1234`. */
export interface Resembled {
  readonly name: CommandName;
  readonly text: string;
  /** Whether it can be said like that: some commands need more. */
  readonly isComplete: boolean;
  /** Whether nothing else was written beside it. */
  readonly isAll: boolean;
}

/**
 * The command that somebody may have meant who steers with this text: a line begins or ends with one and its
 * slash; or the first line is one but for its slash; or the text is short and ends with one, as "please
 * approve" does. Within a sentence, also at its beginning, it is a word like others.
 */
export function resembledCommand(text: string): Resembled | undefined {
  const said = withoutInvisible(text).trim();
  const lines = said.split('\n');
  const isShort = lines.length === 1 && wordsOf(said).length <= shortText;
  for (const [nth, line] of lines.entries()) {
    const first = named(beginningOf(line), { needsSlash: nth > 0, below: () => lines.slice(nth + 1) });
    const found = first ?? named(endOf(wordsOf(line)), { needsSlash: !isShort, below: () => [] });
    if (found !== undefined) return { ...found, isAll: wordsOf(found.text).length === wordsOf(said).length };
  }
  return undefined;
}

/** So many words are no ordinary sentence. */
const shortText = 3;

/** A word that may be a command, and what would be its arguments. */
interface Place {
  readonly word: string;
  readonly rest: string;
  /** Whether a mark such as a colon stands between the two. */
  readonly isApart: boolean;
}

function beginningOf(text: string): Place {
  const [, first = '', between = '', rest = ''] = /^\s*([^\s,;:]*)([\s,;:]*)(.*)$/.exec(text) ?? [];
  const isApart = between.trim() !== '' || /[.!?]$/.test(first);
  return commandWord(first)?.word === appName ? beginningOf(rest) : { word: first, rest, isApart };
}

/** The last word but for a commit and options, which may follow a command. */
function endOf(words: readonly string[]): Place {
  const option = words.findIndex((word) => word.startsWith('--'));
  const before = option === -1 ? words.length : option;
  const end = /^[0-9a-f]{7,40}$/i.test(words[before - 1] ?? '') ? before - 1 : before;
  // "Fix the status" is about a thing of that name.
  const isNoun = /^(?:the|an?|its|your|no|each|every)$/i.test(words[end - 2] ?? '');
  return {
    word: (isNoun ? undefined : words[end - 1]) ?? '',
    rest: words.slice(end).join(' '),
    isApart: false,
  };
}

function wordsOf(line: string): readonly string[] {
  return line.split(/[\s,;:]+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
}

/** The command that a place names; `below` are the lines that follow. */
function named(
  place: Place,
  { needsSlash, below }: { readonly needsSlash: boolean; below(): readonly string[] },
): Omit<Resembled, 'isAll'> | undefined {
  const { word, rest } = place;
  const found = commandWord(word);
  if (found === undefined || (needsSlash && !found.hasSlash)) return undefined;
  const name = spoken[found.word] ?? commandNamed(found.word)?.name;
  if (name === undefined || (!found.hasSlash && !isMeant(name, place))) return undefined;
  const isSaid = (said: string) => isSaidBy(name, said);
  const all = [`${name} ${rest}`.trim(), ...below()].join('\n').trim();
  return isSaid(all) ? { name, text: all, isComplete: true } : { name, text: name, isComplete: isSaid(name) };
}

/**
 * Whether what follows a word without a slash fits a command better than a sentence that begins with the same
 * word, as "Run the tests" does. Where a command takes any words, they tell nothing.
 */
function isMeant(name: CommandName, { rest, isApart }: Place): boolean {
  if (rest === '' || isApart) return true;
  const [clause = ''] = rest.split(/[,;:.!?]/, 1);
  const takesAnyWords = isSaidBy(name, `${name} the words of a sentence`);
  if (!takesAnyWords && isSaidBy(name, `${name} ${clause}`)) return true;
  const words = wordsOf(clause);
  return words.length < shortText && ofTheRun.test(words[0] ?? '');
}

/** What people say to a command that they give to the one whom they talk to. */
const ofTheRun = /^(?:it|this|that|now|please|thanks|--.*|[0-9a-f]{7,40})$/i;

function isSaidBy(name: CommandName, said: string): boolean {
  return parseCommand(`/${said}`)?.type === name;
}

/** What people say of a change in place of the command. */
const spoken: Readonly<Record<string, CommandName>> = { lgtm: 'approve', approved: 'approve' };

/** The word without what stands around it; other characters look like a slash. */
function commandWord(written: string) {
  const [, slash = '', word = ''] = around.exec(written.normalize('NFKC')) ?? [];
  return word === '' ? undefined : { word: word.toLowerCase(), hasSlash: slash !== '' };
}

const around = /^[^\p{L}\p{N}/\\∕⁄]*([/\\∕⁄]?)([a-z]+)[^\p{L}\p{N}]*$/iu;
