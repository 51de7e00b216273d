import type { ToolResult } from './profile.ts';

export type Path = readonly (string | number)[];

/** The first integer that is found at one of these paths. */
export function exitCodeAt(...paths: readonly Path[]): (result: ToolResult) => number | undefined {
  return (result) => paths.map((path) => at(result, path)).find(isExitCode);
}

/** Where the agents that we know write exit codes; for those that we do not know. */
export const usualExitCode = exitCodeAt(
  ['rawOutput', 'exitCode'],
  ['rawOutput', 'exit_code'],
  ['rawOutput', 'metadata', 'exit'],
  ['meta', 'terminal_exit', 'exit_code'],
);

/** Of agents that only write it, as the first line of what the command printed. */
export function writtenExitCode({ rawOutput, content }: ToolResult): number | undefined {
  for (const text of [...texts(rawOutput), ...texts(content)]) {
    const [, code] = /^\W*exit code:? (-?\d{1,10})\b/i.exec(text) ?? [];
    if (code !== undefined) return Number(code);
  }
  return undefined;
}

function texts(value: unknown, depth = 3): readonly string[] {
  if (typeof value === 'string') return [value];
  if (depth === 0 || typeof value !== 'object' || value === null) return [];
  const parts = Array.isArray(value) ? value.slice(0, 20) : [at(value, ['text']), at(value, ['content'])];
  return parts.flatMap((part) => texts(part, depth - 1));
}

function isExitCode(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

/** A title that is the command, perhaps quoted as code. */
export function titleAsCommand(title: string): string {
  return /^`([^`]+)`$/.exec(title.trim())?.[1] ?? title;
}

/** What is at a path in a value; undefined if there is no such thing. */
export function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((inner, key) => {
    const isObject = typeof inner === 'object' && inner !== null;
    return isObject && Object.hasOwn(inner, key) ? Reflect.get(inner, key) : undefined;
  }, value);
}
