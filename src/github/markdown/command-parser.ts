import { type Command, commandSpecs, parseSlashCommand } from '../../steering/commands/index.ts';
import type { SlashCommand } from '../../steering/commands/spec.ts';
import { withoutInvisible } from '../../text/characters.ts';
import { appName, mayContainCommand } from './command-words.ts';
import { linesOf, plainLines } from './plain-lines.ts';
import { readTasks } from './task-blocks.ts';

/**
 * The command in a comment; undefined if there is none. A comment contains only one command: `/steer` and
 * `/run` take everything that follows as their text; after any other, a second command is an error.
 */
export function parseCommand(markdown: string): Command | undefined {
  const [first, second] = slashCommandsIn(markdown).flatMap((found) => {
    const command = parseSlashCommand(found, readTasks, found.isForUs);
    return command === undefined ? [] : [{ command, found }];
  });
  if (first === undefined || second === undefined) return first?.command;
  const { command, found } = first;
  const name = command.type === 'misspoken' ? command.name : command.type;
  if (commandSpecs[name].takesRest) return command;
  const problem = `only one command per comment, but another follows \`/${found.word}\``;
  return { type: 'misspoken', name, problem };
}

/** A slash command, and whether it is one of `/coxswain`, which is for nobody else. */
interface AddressedCommand extends SlashCommand {
  readonly isForUs: boolean;
}

/**
 * Slash commands that start a line of plain text; nothing else contains a command, and neither does what an
 * invisible character hides: the line must be plain with and without such characters.
 */
export function slashCommandsIn(markdown: string): AddressedCommand[] {
  const text = withoutInvisible(markdown);
  if (!mayContainCommand(text)) return [];
  const lines = linesOf(text);
  const isPlain = plainLines(lines);
  const isPlainAsWritten = text === markdown ? isPlain : plainLines(linesOf(markdown));
  return lines.flatMap(({ start, text: line }, index) => {
    const indent = /^ {0,3}(?=\/)/.exec(line)?.[0].length;
    if (indent === undefined || start > maxCommandOffset) return [];
    return isPlain[index] && isPlainAsWritten[index] ? (slashCommandAt(text, start + indent) ?? []) : [];
  });
}

const slashWord = /^\/([a-z][\w-]*)(?:[ \t\u00a0]+|(?=[\r\n])|$)/i;

/** A command must start within this many characters; the text after it may be longer. */
const maxCommandOffset = 16_384;

function slashCommandAt(text: string, start: number): AddressedCommand | undefined {
  const first = slashWordIn(text.slice(start));
  if (first?.word.toLowerCase() !== appName) return first && { ...first, isForUs: false };
  const named = first.line === '' ? { word: 'help', line: '', body: '' } : slashWordIn(`/${first.body}`);
  return named && { ...named, isForUs: true };
}

function slashWordIn(text: string): SlashCommand | undefined {
  const found = slashWord.exec(text);
  if (found?.[1] === undefined) return undefined;
  const rest = text.slice(found[0].length);
  const line = /^[^\r\n]*/.exec(rest)?.[0] ?? '';
  return { word: found[1], line: line.trim(), body: rest.trim() };
}
