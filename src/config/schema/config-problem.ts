import { shortened } from '../../text/characters.ts';

/** One mistake in a configuration, with everything needed to correct it. */
export interface Problem {
  /** It names the key, as in `verifiers[1].timeout`, and is empty for the whole file. */
  readonly path: string;
  readonly expected: string;
  /** The current value, shortened; `nothing` when the key is missing. */
  readonly received: string;
  /** Valid YAML for this path; empty where we know of none that would be accepted. */
  readonly example: string;
  /** Counted from 1; absent when the path is not in the file. */
  readonly line?: number;
  readonly column?: number;
}

export type Path = readonly (string | number)[];

/** The problem as one sentence of plain text, without the example, which may have several lines. */
export function problemText(problem: Problem): string {
  return `${subjectOf(problem)}: expected ${problem.expected}; received ${problem.received}`;
}

/** Writes a problem for a terminal, indented and with the example, if there is one. */
export function problemLines(problem: Problem): string {
  if (problem.example === '') return `  ${problemText(problem)}`;
  const example = problem.example.trimEnd().replaceAll(/^/gm, '      ');
  return `  ${problemText(problem)}\n    as in:\n${example}`;
}

function subjectOf({ path, line, column }: Problem): string {
  const name = path === '' ? 'the configuration' : path;
  if (line === undefined) return name;
  return column === undefined ? `${name} (line ${line})` : `${name} (line ${line}, column ${column})`;
}

export function pathText(path: Path): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    return text === '' ? step : `${text}.${step}`;
  }, '');
}

const maxReceivedLength = 80;

/** Shows a value as readably as in the file, and says how long it is if it was cut. */
export function receivedText(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'an empty value';
  const text = JSON.stringify(value);
  if (text.length <= maxReceivedLength) return text;
  if (Array.isArray(value)) return `a list of ${value.length}, ${shortened(text, maxReceivedLength)}`;
  const size = typeof value === 'string' ? ` (${value.length.toLocaleString('en')} characters)` : '';
  return `${shortened(text, maxReceivedLength)}${size}`;
}
