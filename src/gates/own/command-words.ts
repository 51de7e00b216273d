import { grammarOf, read } from '../arguments/grammars.ts';
import { argumentsOf } from '../arguments/options.ts';
import { type Command, programOf } from '../shell/command.ts';

/** The words of an owners' rule about commands. */
export interface CommandWords {
  /** The first word, or its beginning where it has an asterisk; in small letters. */
  readonly program: string;
  matches(command: Command): boolean;
}

/**
 * A command matches if it begins with these words: `deploy prod` is in `deploy prod --now` and in
 * `./bin/deploy --verbose prod`. Options among the words must be there, wherever they are.
 */
export function commandWords(words: readonly string[]): CommandWords {
  const [first = '', ...rest] = words;
  const options = rest.filter((word) => word.startsWith('-')).map(matcher);
  const operands = rest.filter((word) => !word.startsWith('-')).map(matcher);
  const isProgram = matcher(programOf(first));
  return {
    program: programOf(first).split('*', 1)[0] ?? '',
    matches: (command) =>
      isProgram(command.program) &&
      options.every((matches) => command.args.some(matches)) &&
      readings(command).some((given) => operands.every((matches, at) => matches(given[at] ?? '\0'))),
  };
}

/** Of a program that we do not know, an option may take the next word or not. */
function readings(command: Command): readonly (readonly string[])[] {
  if (grammarOf(command.program).takes !== undefined) return [read(command).operands];
  const { args } = command;
  const taking = new Set(args.filter((argument) => argument.startsWith('-')));
  return [argumentsOf(args).operands, argumentsOf(args, { takes: taking }).operands];
}

/** `*` is any text; nothing else is special. */
function matcher(word: string): (text: string) => boolean {
  const pieces = word.split('*');
  const [first = ''] = pieces;
  const last = pieces.at(-1) ?? '';
  return (text) => {
    if (pieces.length === 1) return text === word;
    if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length)
      return false;
    let at = first.length;
    for (const piece of pieces.slice(1, -1)) {
      const found = text.indexOf(piece, at);
      if (found < 0) return false;
      at = found + piece.length;
    }
    return at <= text.length - last.length;
  };
}
