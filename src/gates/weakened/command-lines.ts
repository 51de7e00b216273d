import { type VerifyingCommand, verifyingCommands } from './commands.ts';
import type { FileReading } from './reading.ts';
import type { SourceLine } from './source-line.ts';

/** A verifying command, and the line on which it begins. */
export interface Found {
  readonly reading: FileReading;
  readonly line: SourceLine;
  readonly command: VerifyingCommand;
}

/** The verifying commands of one version of a file: those that only it has, or those that both have. */
export function commandsIn(reading: FileReading, side: 'old' | 'new', changed: boolean): readonly Found[] {
  const others = new Map(
    statements(reading, side === 'old' ? 'new' : 'old')
      .filter(({ line }) => !line.changed)
      .map(({ line, text }) => [line.text, text]),
  );
  return statements(reading, side).flatMap(({ line, text }) => {
    // The line on which a command begins may stay while its options change.
    const isChanged = line.changed || (others.get(line.text) ?? text) !== text;
    if (isChanged !== changed) return [];
    return verifyingCommands(text).map((command) => ({ reading, line, command }));
  });
}

interface Statement {
  readonly line: SourceLine;
  readonly text: string;
}

const longest = 20;

/** Lines with commands, with those that go on from them. */
function statements(reading: FileReading, side: 'old' | 'new'): readonly Statement[] {
  const { lines } = reading[side];
  const installed = reading.language.family === 'ini' ? installedBy(lines) : new Set();
  const found: Statement[] = [];
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index];
    if (line === undefined || line.blank || installed.has(line) || !isCommandLine(line, reading)) continue;
    const end = endOf(lines, index);
    const parts = lines.slice(index, end).map(({ text }) => text.trim().replace(/\\$/, ''));
    found.push({ line, text: parts.length === 1 ? line.text : parts.join(' ') });
    index = end - 1;
  }
  return found;
}

/** The line after a command that goes on behind a backslash, in folded YAML or in brackets. */
function endOf(lines: readonly SourceLine[], index: number): number {
  const first = lines[index];
  if (first === undefined) return index + 1;
  const isFolded = /^\s*-?\s*(?:run|script|command|cmd)\s*:\s*>[-+]?\s*$/.test(first.text);
  const isCalled = /\b(?:run|call|check_call|check_output|spawnSync|execFileSync|execa)\(\s*\[?\s*$/.test(
    first.code,
  );
  let depth = 0;
  for (let at = index; at < Math.min(lines.length, index + longest); at++) {
    const line = lines[at];
    if (line === undefined || line.hunk !== first.hunk) return at;
    for (const sign of line.code) depth += '(['.includes(sign) ? 1 : ')]'.includes(sign) ? -1 : 0;
    const next = lines[at + 1];
    const goesOn = isFolded
      ? next !== undefined && !next.blank && next.indent > first.indent
      : isCalled
        ? depth > 0
        : /\\\s*$/.test(line.text);
    if (!goesOn) return at + 1;
  }
  return index + 1;
}

/** The lines of settings that list what is to be installed, which is not run there. */
function installedBy(lines: readonly SourceLine[]): ReadonlySet<SourceLine> {
  let key = '';
  return new Set(
    lines.filter(({ code, indent }) => {
      if (indent === 0) key = /^\s*([\w-]+)\s*[:=]/.exec(code)?.[1] ?? '';
      return /^(?:deps|dependenc|extras|requires|packages|test_requires|install_requires)/.test(key);
    }),
  );
}

/** Names and keys in YAML are no commands: `name: Run npm test`. */
function isCommandLine({ text }: SourceLine, { language, path }: FileReading): boolean {
  if (language.family === 'json')
    return /"[^"]+"\s*:\s*"/.test(text) && /(?:package|composer|deno|turbo)\.json$/.test(path);
  if (language.family === 'yaml')
    return !/^\s*-?\s*(?!run|script|command|cmd|bash|test_script|entry)[\w-]+\s*:(?:\s|$)/.test(text);
  if (language.family === 'make') return /^\t|^\s{2,}/.test(text);
  return language.family !== 'xml';
}
