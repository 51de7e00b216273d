import type { CommandNode, CompoundList } from 'unbash';
import { innerCommands } from '../wrappers/index.ts';
import { type Command, type FileUse, type Inner, programOf } from './command.ts';
import { deeper, type Flow, reading } from './flow.ts';
import { downloaded, isKnown, printed, readable, unknown } from './marks.ts';
import { output } from './output.ts';
import { beforeError, parsed, Unclear, withoutErrors } from './parse.ts';
import { remember } from './remember.ts';
import { count, fileContent } from './scope.ts';

/** Follows a text for the shell; gives what it prints, as far as that is known. */
export function interpret(text: string, flow: Flow): string {
  if (onlyMarks(text)) return onlyKnownAtRunTime(text, flow);
  return guarded(text, flow, () => {
    const script = parsed(text);
    const isWhole = script.errors === undefined || script.errors.length === 0;
    const output = flow.walk(isWhole ? script : parsed(beforeError(text)), deeper(flow));
    withoutErrors(script);
    return output;
  });
}

/** What cannot be followed is reported, and what comes after it is followed all the same. */
export function guarded(text: string, { findings }: Flow, follow: () => string): string {
  try {
    return follow();
  } catch (problem) {
    if (!(problem instanceof Unclear)) throw problem;
    findings.unclear(problem.message, readable(text));
    return unknown;
  }
}

function onlyMarks(text: string): boolean {
  return /^[\s\u{E000}-\u{E002}]*$/u.test(text);
}

/** What a program prints for a shell is no better known than what the program does. */
function onlyKnownAtRunTime(text: string, { findings }: Flow): string {
  if (text.includes(downloaded)) findings.runsDownload(readable(text));
  else if (text.includes(unknown)) findings.unclear('the text for the shell is not known', readable(text));
  return text.trim() === '' ? '' : printed;
}

/** Follows a program that starts with these words; gives what it prints. */
export function start(words: readonly string[], redirects: readonly FileUse[], flow: Flow): string {
  count(flow.scope, words.join(' '));
  const [path = '', ...args] = words;
  const called = call(path, args, flow);
  if (called !== undefined) return called;
  const { input, scope } = flow;
  const given = { program: programOf(path), path, args, ownArgs: args, input, redirects, files: scope.files };
  if (!isNamed(given)) return unnamed(given, flow);
  const inner = [...ownScript(given), ...innerCommands(given)];
  const command: Command = { ...given, ownArgs: ownArguments(args, inner) };
  flow.findings.command(command);
  remember(command, scope);
  if (inner.length === 0) return output(command);
  return inner.map((one) => startInner(one, flow)).join('');
}

/** Without the words at the end that are another program's. */
function ownArguments(args: readonly string[], inner: readonly Inner[]): readonly string[] {
  const [first] = inner;
  if (first === undefined) return args;
  const taken = first.kind === 'words' ? first.words.length : first.text.split(' ').length;
  const rest = args.slice(-taken);
  const isTaken = first.kind === 'words' || rest.join(' ') === first.text;
  return isTaken ? args.slice(0, -rest.length) : args;
}

function startInner(inner: Inner, flow: Flow): string {
  const inside = inner.input === undefined ? flow : reading(flow, inner.input);
  if (inner.kind === 'words') return start(inner.words, [], deeper(inside));
  const { positionals, text } = inner;
  return interpret(text, positionals === undefined ? inside : { ...inside, positionals });
}

/** A function or an alias that the line defines; nothing if there is none of that name. */
function call(name: string, args: readonly string[], flow: Flow): string | undefined {
  const { aliases, called, functions } = flow.scope;
  const body = functions.get(name);
  if (body !== undefined && !flow.active.has(body)) {
    called.add(name);
    return flow.walk(body, { ...inside(flow, body), positionals: [name, ...args] });
  }
  const alias = aliases.get(name);
  if (alias === undefined || flow.active.has(name)) return undefined;
  const quoted = args.map((argument) => `'${argument.replaceAll("'", "'\\''")}'`);
  return interpret([alias, ...quoted].join(' '), inside(flow, name));
}

function inside(flow: Flow, one: CommandNode | CompoundList | string): Flow {
  return { ...deeper(flow), active: new Set([...flow.active, one]) };
}

/** Whether the name of the program is known: `$X` and `/bin/r?` are not. */
function isNamed({ program, path }: Command): boolean {
  if (path === '' || program === '[' || program === '[[') return true;
  return program !== '' && isKnown(program) && !/[*?]|\[.*\]/.test(program);
}

/** Whatever the program is, it may start the one that its first argument names, as `$SUDO rm` does. */
function unnamed({ path, args }: Command, flow: Flow): string {
  const text = readable([path, ...args].join(' '));
  if (path.includes(downloaded)) flow.findings.runsDownload(text);
  else flow.findings.unclear('which program runs is not known', text);
  const [first = '-'] = args;
  if (!first.startsWith('-') && isKnown(first)) start(args, [], deeper(flow));
  return unknown;
}

/** A script that the line wrote before, started by its path. */
function ownScript({ path, args, files }: Command): readonly Inner[] {
  const text = path.includes('/') ? fileContent({ files }, path) : undefined;
  if (text === undefined || !isForShell(text, path)) return [];
  return [{ kind: 'shell', text, positionals: [path, ...args] }];
}

function isForShell(text: string, path: string): boolean {
  if (text.includes(downloaded)) return true;
  const [, interpreter] = /^#!\s*(\S+(?:\s+\S+)?)/.exec(text) ?? [];
  return interpreter === undefined
    ? !/\.(?!sh$)\w+$/.test(path)
    : /\b(?:sh|bash|dash|zsh|ksh)$/.test(interpreter);
}
