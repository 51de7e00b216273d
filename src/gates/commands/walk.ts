import type * as Shell from 'unbash';
import { forEachChild, parse } from 'unbash';
import {
  baseName,
  type Command,
  downloaded,
  type FileUse,
  isKnown,
  names,
  programOf,
  readable,
  unknown,
  valuesOf,
} from './shell-command.ts';
import { startedBy } from './starts.ts';

/** Who is told what a line would do. */
interface Findings {
  /** A program would start. */
  command(command: Command): void;
  /** What was downloaded would run, or what would run cannot be told. */
  finds(rule: 'runs-remote-code' | 'unparsable', evidence: string): void;
}

/** A part of a line runs with this around it. */
interface Flow {
  readonly findings: Findings;
  /** What its commands read from standard input; absent if that is not known to be anything. */
  readonly input: string | undefined;
  /** How many lists, substitutions and shells it is inside. */
  readonly depth: number;
  /** How many more characters of the line are read, and the files that hold what it downloaded. */
  readonly line: { left: number; readonly saved: Set<string> };
}

/** The text of one command line cannot be understood, or not within bounds. */
class Unclear extends Error {
  override name = 'Unclear';
}

/** Linux starts no program with a longer argument, and a shell gets its command line in one. */
const maxLength = 131_072;
/** No line that a person or an agent writes needs more, with all texts inside it. */
const maxRead = 2_000_000;
/** Parsing takes time by the square of the here-documents that begin on one line. */
const maxHereDocuments = 500;
/** Deeper than anyone nests; the time to parse grows with the depth. */
const maxDepth = 40;

/**
 * Tells which programs a command line would start if a shell ran it, whatever its conditions say. What a
 * variable, a function, an alias or a file holds is not followed.
 */
export function follow(line: string, findings: Findings): void {
  shell(line, { findings, input: undefined, depth: 0, line: { left: maxRead, saved: new Set() } });
}

/** Follows a text for the shell; gives what it prints, as far as that is known. */
function shell(text: string, flow: Flow): string {
  try {
    return runScript(parsed(text), text, deeper(flow, text));
  } catch (problem) {
    if (!(problem instanceof Unclear)) throw problem;
    flow.findings.finds('unparsable', `${problem.message}: ${readable(text)}`);
    return unknown;
  }
}

function parsed(text: string): Shell.ParsedScript {
  if (text.length > maxLength) throw new Unclear(`longer than ${maxLength} characters`);
  if (text.split('<<', maxHereDocuments + 2).length > maxHereDocuments + 1)
    throw new Unclear(`more than ${maxHereDocuments} here-documents`);
  try {
    return parse(text);
  } catch (cause) {
    throw new Unclear('the parser gave up', { cause });
  }
}

function deeper(flow: Flow, text = ''): Flow {
  spend(flow, text);
  if (flow.depth >= maxDepth) throw new Unclear(`nested more than ${maxDepth} levels deep`);
  return { ...flow, depth: flow.depth + 1 };
}

function spend({ line }: Flow, text = ''): void {
  line.left -= 1 + text.length;
  if (line.left < 0) throw new Unclear('too much to follow');
}

/** Bash reads line by line, and runs those before one with an error. The parser repairs what Bash refuses. */
function runScript({ commands, errors = [] }: Shell.ParsedScript, text: string, flow: Flow): string {
  const [error] = errors;
  const end = error === undefined ? Number.POSITIVE_INFINITY : text.lastIndexOf('\n', error.pos - 1);
  const output = runAll(
    commands.filter((each) => each.end <= end),
    flow,
  );
  if (error !== undefined) throw new Unclear(error.message);
  return output;
}

/** Follows nodes in turn; gives what they print together. */
function runAll(nodes: readonly Shell.SyntaxNode[], flow: Flow): string {
  return nodes.map((node) => run(node, flow)).join('');
}

function run(node: Shell.SyntaxNode, flow: Flow): string {
  if (node.type === 'Command') return simpleCommand(node, flow);
  if (node.type === 'Pipeline') return pipeline(node, flow);
  if (node.type === 'Redirected') return withRedirections(node, flow);
  if (/^(?:Word|Test|Arithmetic(?!For))/.test(node.type)) {
    runSubstitutions(node, substitution(flow));
    return '';
  }
  const children: Shell.SyntaxNode[] = [];
  forEachChild(node, (child) => children.push(child));
  return runAll(children, node.type === 'CompoundList' ? deeper(flow) : flow);
}

function substitution(flow: Flow): (script: Shell.ParsedScript) => string {
  return (script) => runScript(script, '', { ...deeper(flow), input: undefined });
}

function pipeline({ commands }: Shell.Pipeline, flow: Flow): string {
  let { input } = flow;
  let output = '';
  for (const command of commands) {
    output = run(command, { ...flow, input });
    input = output === '' ? unknown : output;
  }
  return output;
}

/** Several commands with the same redirections; what they do is found where they stand. */
function withRedirections({ command, redirects }: Shell.Redirected, flow: Flow): string {
  const io = redirected(redirects, flow);
  if (io.uses.length > 0) start(['(…)'], io.uses, flow);
  return kept(run(command, { ...flow, input: io.input ?? flow.input }), io, flow);
}

function simpleCommand({ name, args, prefix, redirects }: Shell.Command, flow: Flow): string {
  const io = redirected(redirects, flow);
  for (const part of prefix) if (part.type === 'Assignment') argument(part, flow);
  const words = [...(name === undefined ? [] : [name]), ...args].map((word) => argument(word, flow));
  return kept(start(words, io.uses, { ...flow, input: io.input ?? flow.input }), io, flow);
}

function argument(node: Shell.CommandArgument, flow: Flow): string {
  if (node.type === 'Word') return textOf(node, flow);
  const words = node.value.type === 'Word' ? [node.value] : node.value.elements;
  return `${node.name}=${words.map((word) => textOf(word, flow)).join(' ')}`;
}

/** A word; the name of a file that was downloaded is marked, so that what becomes of it is seen. */
function textOf(word: Shell.Word, flow: Flow): string {
  const text = wordText(word, substitution(flow));
  return flow.line.saved.has(baseName(text)) ? text + downloaded : text;
}

/** What the redirections of a command do. */
interface Redirects {
  /** Absent if its standard input is not redirected. */
  input?: string;
  readonly uses: FileUse[];
  /** Its standard output goes to this file, if to one. */
  output?: string;
}

function redirected(redirections: readonly Shell.Redirection[], flow: Flow): Redirects {
  const done: Redirects = { uses: [] };
  for (const one of redirections) {
    if (one.type === 'HereDoc') {
      const { parts, text } = one.body;
      done.input = (parts === undefined ? text : partsText(parts, substitution(flow))).replace(/^\t+/gm, '');
    } else if (one.target !== undefined) {
      const path = textOf(one.target, flow);
      if (one.type === 'HereString') done.input = `${path}\n`;
      else addUse(one, path, done);
    }
  }
  return done;
}

function addUse({ descriptor, operator }: Shell.Redirect, path: string, done: Redirects): void {
  // `2>&1` and `<&3` name no file.
  if (/^[<>]&$/.test(operator) && /^(?:\d+-?|-)$/.test(path)) return;
  const access = operator.startsWith('<') ? 'read' : operator.includes('>>') ? 'append' : 'replace';
  done.uses.push({ path, access });
  if (access === 'read') done.input = path.includes(downloaded) ? downloaded : '';
  else if (descriptor === undefined || ('value' in descriptor && descriptor.value === 1)) done.output = path;
}

/** What goes to a file is not printed. */
function kept(output: string, { output: file }: Redirects, { line }: Flow): string {
  if (file === undefined) return output;
  if (output.includes(downloaded)) line.saved.add(baseName(file));
  return '';
}

/** Follows a program that starts with these words; gives what it prints. */
function start(words: readonly string[], redirects: readonly FileUse[], flow: Flow): string {
  const [path = '', ...args] = words;
  const { findings, input, line } = flow;
  const program = programOf(path);
  spend(flow, input);
  if (!isNamed(program, path)) return unnamed(words, flow);
  const { inner, ...others } = startedBy({ program, args, input });
  const command: Command = { program, path, args, ...others, input, redirects };
  findings.command(command);
  for (const file of download(command) ?? []) line.saved.add(baseName(file));
  if (inner.length === 0) return printedBy(command);
  const inside = deeper(flow);
  const outputs = inner.map((one) => {
    if ('text' in one) return shell(one.text, inside);
    return start(one.words, [], { ...inside, input: one.input ?? input });
  });
  return outputs.join('');
}

/** Whether the name of the program is known: `$X` and `/bin/r?` are not. */
function isNamed(program: string, path: string): boolean {
  if (path === '' || program === '[' || program === '[[') return true;
  return program !== '' && isKnown(program) && !/[*?{\s]|\[.*\]/.test(program);
}

/** Whatever the program is, it may start the one that its first argument names, as `$SUDO rm` does. */
function unnamed(words: readonly string[], flow: Flow): string {
  const [path = '', first = '-'] = words;
  const text = readable(words.join(' '));
  if (path.includes(downloaded)) flow.findings.finds('runs-remote-code', `what was downloaded runs: ${text}`);
  else flow.findings.finds('unparsable', `which program runs is not known: ${text}`);
  if (!first.startsWith('-') && isKnown(first)) start(words.slice(1), [], deeper(flow));
  return unknown;
}

const downloaders = names(
  'curl wget aria2c http https xh curlie lynx nc ncat netcat iwr irm invoke-webrequest invoke-restmethod',
);

/** Finds the files that a command downloads to; none if it prints it. Nothing if it does not download. */
function download(command: Command): readonly string[] | undefined {
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

/** Finds what a command prints, as far as that is known without running it. */
function printedBy(command: Command): string {
  const { program, args, input = unknown } = command;
  if (program === 'tee' || (program === 'cat' && args.length === 0)) return input;
  if (program === 'echo')
    return `${args.filter((each, at) => at > 0 || !/^-[neE]+$/.test(each)).join(' ')}\n`;
  if (program === 'printf') return formatted(args);
  if (/^(?:|:|true|cd|export|set)$/.test(program) || (download(command) ?? []).length > 0) return '';
  // Whatever is made of a download stays one.
  const isDownload = downloaders.has(program) || [input, ...args].some((text) => text.includes(downloaded));
  return isDownload ? downloaded : unknown;
}

/** What a format makes of its arguments stands on lines of its own; only `%b` reads escapes in them. */
function formatted([format = '', ...values]: readonly string[]): string {
  const escaped = (text: string) => text.replaceAll('\\n', '\n');
  return [escaped(format), ...(format.includes('%b') ? values.map(escaped) : values)].join('\n');
}

/** Runs the script of a substitution; gives what it prints, as far as that is known. */
type Run = (script: Shell.ParsedScript) => string;

/** Reads a word as the program gets it; what is known only when it runs is marked. */
function wordText({ parts, value }: Shell.Word, run: Run): string {
  return parts === undefined ? value : partsText(parts, run);
}

function partsText(parts: readonly Shell.WordPart[], run: Run): string {
  return parts.map((part) => partText(part, run)).join('');
}

function partText(part: Shell.WordPart, run: Run): string {
  const { type } = part;
  if (type === 'CommandExpansion' || type === 'ProcessSubstitution')
    return part.script === undefined ? unknown : run(part.script).replace(/\n+$/, '');
  if (type === 'DoubleQuoted' || type === 'LocaleString') return partsText(part.parts, run);
  if (type === 'SimpleExpansion') return unknown;
  if (type !== 'Glob' && 'value' in part) return part.value;
  if (type === 'ParameterExpansion' && part.operation?.type === 'Default')
    return wordText(part.operation.operand, run) || unknown;
  runSubstitutions(part, run);
  if (type === 'ParameterExpansion') return unknown;
  return type === 'ArithmeticExpansion' ? '0' : part.text;
}

/** Runs what stands in substitutions anywhere below; a long sum is a deep tree. */
function runSubstitutions(node: Shell.SyntaxNode, run: Run): void {
  const waiting: Shell.SyntaxNode[] = [node];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.type === 'Script') run(next);
    else forEachChild(next, (child) => waiting.push(child));
  }
}
