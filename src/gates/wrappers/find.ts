import { isOption } from '../arguments/options.ts';
import type { Command, Inner } from '../shell/command.ts';
import { downloaded, isKnown, printed } from '../shell/marks.ts';

/** Programs that start another one for each of many names. */
export const eachFound: Readonly<Record<string, (command: Command) => readonly Inner[]>> = {
  find: ({ args }) => executed(args, /^-(?:exec|execdir|ok|okdir)$/).map((inner) => forName(inner, args)),
  fd: ({ args }) => executed(args, /^(?:-x|-X|--exec|--exec-batch)$/),
  fdfind: ({ args }) => executed(args, /^(?:-x|-X|--exec|--exec-batch)$/),
  xargs: (command) => withArguments(command),
  parallel: ({ args }) => inParallel(args),
};

/** The words between each `-exec` and its `;` or `+`. */
function executed(args: readonly string[], option: RegExp): readonly Inner[] {
  const found: Inner[] = [];
  for (let index = 0; index < args.length; index += 1) {
    if (!option.test(args[index] ?? '')) continue;
    const end = args.findIndex((word, at) => at > index && (word === ';' || word === '+'));
    const next = end < 0 ? args.length : end;
    found.push({ kind: 'words', words: args.slice(index + 1, next) });
    index = next;
  }
  return found;
}

/** `find -name .env -exec cat {} +` reads files of that name. */
function forName(inner: Inner, args: readonly string[]): Inner {
  const name = args[args.findIndex((argument) => /^-i?name$/.test(argument)) + 1];
  if (inner.kind !== 'words' || name === undefined || !args.some((argument) => /^-i?name$/.test(argument)))
    return inner;
  return { ...inner, words: inner.words.map((word) => word.replaceAll('{}', () => name)) };
}

const xargsTakes = new Set(
  '-I -n -P -L -d -s -a -E --max-args --max-procs --max-lines --delimiter --arg-file --replace --max-chars'.split(
    ' ',
  ),
);

/** What is read becomes arguments, or replaces the word of `-I`. */
function withArguments({ args, input }: Command): readonly Inner[] {
  let index = 0;
  let replaced: string | undefined;
  for (; isOption(args[index] ?? ''); index += 1) {
    const argument = args[index] ?? '';
    if (argument === '-I') replaced = args[index + 1];
    else if (argument.startsWith('-I')) replaced = argument.slice(2);
    else if (argument === '-i' || argument === '--replace') replaced = '{}';
    if (xargsTakes.has(argument)) index += 1;
  }
  const words = args.slice(index);
  const read = input ?? printed;
  if (words.length === 0) return [];
  if (replaced === undefined) return [{ kind: 'words', words: [...words, ...fieldsOf(read)], input: '' }];
  const placeholder = replaced;
  return linesOf(read).map((line) => {
    return { kind: 'words', words: words.map((word) => word.replaceAll(placeholder, () => line)), input: '' };
  });
}

/** More names than these are not looked at. */
const maxNames = 200;

function fieldsOf(text: string): readonly string[] {
  return isKnown(text)
    ? text
        .split(/[\s\0]+/)
        .filter((field) => field !== '')
        .slice(0, maxNames)
    : [text.includes(downloaded) ? downloaded : printed];
}

function linesOf(text: string): readonly string[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.length === 0 ? [printed] : lines.slice(0, maxNames);
}

/** The command before `:::` is run by a shell. */
function inParallel(args: readonly string[]): readonly Inner[] {
  const end = args.findIndex((argument) => /^::::?\+?$/.test(argument));
  const own = end < 0 ? args : args.slice(0, end);
  const takes =
    /^(?:-j|--jobs|-a|--arg-file|-n|--max-args|-I|--joblog|--results|--timeout|--delay|-S|--colsep|-C)$/;
  let index = 0;
  for (; isOption(own[index] ?? ''); index += 1) if (takes.test(own[index] ?? '')) index += 1;
  const names = end < 0 ? [] : args.slice(end + 1);
  const text = own.slice(index).join(' ');
  if (text === '') return names.map((name) => ({ kind: 'shell', text: name }));
  return [{ kind: 'shell', text: [text, ...names].join(' ') }];
}
