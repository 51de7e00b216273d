import { baseName, type Command, downloaded, unknown } from './command.ts';
import { names, valuesOf } from './options.ts';

const downloaders = names(
  'curl wget aria2c http https xh curlie lynx nc ncat netcat iwr irm invoke-webrequest invoke-restmethod',
);

/** The files that a command downloads to; none if it prints it. Nothing if it does not download. */
export function download(command: Command): readonly string[] | undefined {
  const { args, input = '', program } = command;
  if (program === 'tee' && input.includes(downloaded)) return args;
  if (!downloaders.has(program)) return undefined;
  const named = valuesOf(args, program === 'wget' ? '-O' : '-o', '--output', '--output-document');
  const isNamedByAddress =
    /^(?:wget|aria2c)$/.test(program) || args.some((each) => /^-\w*O|^--remote-name/.test(each));
  const addresses = args.filter((each) => /^[a-z]+:\/\/|^[\w.-]+\.\w+\//i.test(each));
  const files =
    named.length > 0 || !isNamedByAddress ? named : addresses.map((each) => each.replace(/[?#].*/, ''));
  return files
    .map((file) => baseName(file) || 'index.html')
    .filter((file) => file !== '-' && file !== 'stdout');
}

/** What a command prints, as far as that is known without running it. */
export function printedBy(command: Command): string {
  const { program, args, input = unknown } = command;
  if (program === 'tee' || (program === 'cat' && args.length === 0)) return input;
  if (program === 'echo')
    return `${args.filter((each, at) => at > 0 || !/^-[neE]+$/.test(each)).join(' ')}\n`;
  // What a format makes of its arguments stands on lines of its own.
  if (program === 'printf') return args.join('\n').replaceAll('\\n', '\n');
  if (/^(?:|:|true|cd|export|set)$/.test(program) || (download(command) ?? []).length > 0) return '';
  // Whatever is made of a download stays one.
  const isDownload = downloaders.has(program) || [input, ...args].some((text) => text.includes(downloaded));
  return isDownload ? downloaded : unknown;
}
