import { isDeepStrictEqual } from 'node:util';
import { fencedBlock, printed } from '../../config/tasks/task-documents.ts';
import { parseCommand } from '../../github/markdown/command-parser.ts';
import { type Command, type Misspoken, specOf } from '../../steering/commands/index.ts';
import { withoutInvisible } from '../../text/characters.ts';
import { Problem } from '../problem.ts';

/** No comment says exactly this command; the message tells a person why, in a sentence. */
export class Unsayable extends Problem {
  override name = 'Unsayable';

  constructor(why: string) {
    super(422, why);
  }
}

/**
 * The comment that says exactly this command. The product's own parser has to read the same out of it, so
 * that no text in a field can become anything else; otherwise throws `Unsayable`.
 */
export function composed(command: Command): string {
  if (command.type === 'misspoken') throw new Unsayable(notUnderstood(command));
  const body = `/${command.type}${argumentsOf(command)}`;
  if (unseen.test(body) || body !== withoutInvisible(body))
    throw new Unsayable('There are characters in it that nobody can see: leave them out.');
  const read = parseCommand(body);
  if (isDeepStrictEqual(read, command)) return body;
  throw new Unsayable(read?.type === 'misspoken' ? notUnderstood(read) : readOtherwise(read, command));
}

/** What GitHub might leave out, such as NUL, could hide a command from whoever looks for one in a text. */
export function plainText(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/[^\P{Cc}\n\t]/gu, '');
}

/** A text as the parser of comments hears it: only of such can a command be said with exactly its fields. */
export function heardText(text: string): string {
  return withoutInvisible(plainText(text)).trim();
}

/** What GitHub might leave out or replace. */
const unseen = /[^\P{Cc}\r\n\t]|\r(?!\n)|\p{Cs}/u;

function argumentsOf(command: Exclude<Command, Misspoken>): string {
  const { print, tasks } = specOf(command.type);
  const text = print?.(command) ?? '';
  const documents = (tasks?.(command) ?? []).map(({ overrides, ...task }) =>
    printed({ ...task, ...overrides }),
  );
  if (documents.some((document) => document !== '')) return `\n\n${fencedBlock(documents)}`;
  if (text === '') return '';
  // A block is one only where it begins a line.
  return /^(?:`{3}|~{3})/.test(text) ? `\n\n${text}` : ` ${text}`;
}

function notUnderstood({ name, problem }: Misspoken): string {
  return `As a comment, /${name} would not be understood: ${problem.replaceAll('\n', '; ')}.`;
}

function readOtherwise(read: Exclude<Command, Misspoken> | undefined, { type }: Command): string {
  if (read?.type === type)
    return `A part of it would be read as another option of /${type}: use other words.`;
  const what = read === undefined ? 'no command at all' : `/${read.type}`;
  return `As a comment, this would be read as ${what} and not as /${type}: use other words.`;
}
