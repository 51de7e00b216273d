import type { Command } from './command.ts';
import { download } from './downloads.ts';
import { downloaded, isKnown, printed, unknown } from './marks.ts';
import { maxLength } from './parse.ts';
import { fileContent } from './scope.ts';

/** What a command prints, as far as that is known without running it. */
export function output(command: Command): string {
  const { program, input = '' } = command;
  const loaded = download(command);
  if (loaded !== undefined) return loaded.file === undefined ? downloaded : '';
  const known = outputs[program]?.(command);
  if (known !== undefined) return known;
  // Whatever is made of a download stays one.
  if (input.includes(downloaded)) return downloaded;
  if (readsDownloaded(command)) return downloaded;
  return decoders.has(program) ? unknown : printed;
}

const outputs: Readonly<Record<string, (command: Command) => string | undefined>> = {
  echo: ({ args }) => echoed(args),
  printf: ({ args }) => formatted(args),
  cat: (command) => contents(command),
  tee: ({ input }) => input,
  head: (command) => contents(command),
  tail: (command) => contents(command),
  which: ({ args }) => args.at(-1),
  type: ({ args }) => args.at(-1),
  command: ({ args }) => (/^-[vV]$/.test(args[0] ?? '') ? args[1] : undefined),
  base64: (command) => decoded(command),
  basename: ({ args }) => args[0],
  find: ({ args }) => (args.includes('-name') ? `${args[args.indexOf('-name') + 1]}\n` : undefined),
  ':': () => '',
  true: () => '',
  cd: () => '',
  read: () => '',
  export: () => '',
  alias: () => '',
};

/** These turn a text into another one that nobody can read in the line. */
const decoders = new Set(
  'base32 base64 basenc openssl xxd uudecode gpg rev tr rot13 zcat gunzip gzip xz bzip2 uncompress zstd'.split(
    ' ',
  ),
);

function echoed(args: readonly string[]): string {
  const first = args.findIndex((argument) => !/^-[neE]+$/.test(argument));
  const options = args.slice(0, first < 0 ? args.length : first).join('');
  const text = first < 0 ? '' : args.slice(first).join(' ');
  const said = options.includes('e') ? unescaped(text) : text;
  return options.includes('n') ? said : `${said}\n`;
}

/** `%s`, `%b` and `%d` take the next argument; the format is used again for what is left. */
function formatted(args: readonly string[]): string | undefined {
  const [format = '', ...values] = args[0] === '--' ? args.slice(1) : args;
  if (format.startsWith('-v')) return '';
  const pattern = unescaped(format);
  let next = 0;
  let text = '';
  do {
    const before = next;
    text += pattern.replace(/%(?:%|[-\d.]*([sbdq]))/g, (_, letter) => {
      if (letter === undefined) return '%';
      next += 1;
      return values[next - 1] ?? '';
    });
    if (next === before) break;
  } while (next < values.length && text.length < maxLength);
  return text;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\\': '\\', '"': '"' };

function unescaped(text: string): string {
  return text.replace(/\\(?:x[\da-fA-F]{1,2}|[0-7]{1,4}|.)/g, (whole) => {
    const [, first = '', ...rest] = whole;
    if (first === 'x' && rest.length > 0) return String.fromCharCode(Number.parseInt(rest.join(''), 16));
    if (/[0-7]/.test(first)) return String.fromCharCode(Number.parseInt(whole.slice(1), 8) & 255);
    return escapes[first] ?? whole;
  });
}

/** The named files if the line wrote them all, else its input if it names none. */
function contents({ args, input, files }: Command): string | undefined {
  const names = args.filter((argument) => !/^-./.test(argument) && !/^\d+$/.test(argument));
  if (names.length === 0) return input;
  const texts = names.map((name) => (name === '-' ? input : fileContent({ files }, name)));
  return texts.every((text) => text !== undefined) ? texts.join('') : undefined;
}

function decoded({ args, input }: Command): string | undefined {
  if (!args.some((argument) => /^(?:-[a-zA-Z]*[dD]|--decode)$/.test(argument))) return printed;
  if (input === undefined || !isKnown(input)) return input?.includes(downloaded) ? downloaded : unknown;
  return Buffer.from(input, 'base64').toString('utf8');
}

function readsDownloaded({ args, files }: Command): boolean {
  return args.some((argument) => fileContent({ files }, argument)?.includes(downloaded));
}
