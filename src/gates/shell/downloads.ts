import { read } from '../arguments/grammars.ts';
import { has, valuesOf } from '../arguments/options.ts';
import type { Command } from './command.ts';
import { baseName } from './scope.ts';

/** Where a command puts what it downloads. */
interface Download {
  /** The file; absent if it prints it. */
  readonly file?: string;
}

const printing = new Set([
  'http',
  'https',
  'xh',
  'curlie',
  'lynx',
  'nc',
  'ncat',
  'netcat',
  'iwr',
  'irm',
  'invoke-webrequest',
  'invoke-restmethod',
]);

/** What a command downloads; nothing if it is no downloader. */
export function download(command: Command): Download | undefined {
  const { program, args } = command;
  if (program === 'curl') return byCurl(command);
  if (program === 'wget') return byWget(command);
  if (program === 'aria2c') return saved(valuesAfter(args, '-o', '--out') ?? fromAddress(args));
  if (program === 'aws' && args.includes('s3') && args.at(-1) === '-') return {};
  return printing.has(program) ? {} : undefined;
}

function byCurl(command: Command): Download {
  const options = read(command);
  const [file] = valuesOf(options, '-o', '--output');
  if (file !== undefined) return saved(file);
  if (has(options, '-O', '--remote-name', '--remote-name-all')) return saved(fromAddress(command.args));
  return {};
}

function byWget(command: Command): Download {
  const [file] = valuesOf(read(command), '-O', '--output-document');
  return saved(file ?? fromAddress(command.args));
}

function saved(file: string | undefined): Download {
  return file === undefined || file === '-' || file === '/dev/stdout' ? {} : { file };
}

function valuesAfter(args: readonly string[], ...names: readonly string[]): string | undefined {
  const at = args.findIndex((argument) => names.includes(argument));
  return at < 0 ? undefined : args[at + 1];
}

/** The name that a program takes from the address. */
function fromAddress(args: readonly string[]): string | undefined {
  const address = args.findLast((argument) => /^[a-z]+:\/\/|^[\w.-]+\.\w+\//i.test(argument));
  const [path = ''] = (address ?? '').split(/[?#]/, 1);
  return baseName(path) || 'index.html';
}
