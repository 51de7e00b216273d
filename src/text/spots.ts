import { beginningOf } from './characters.ts';

/** Each captures the path, the line and, if it is on the same line, the message. */
const shapes: readonly RegExp[] = [
  // tsc, msbuild: src/a.ts(12,5): error TS2322: …
  /^\s*(?<path>[^\s()]+)\((?<line>\d+),\d+\): (?<message>.+)$/,
  // node: at name (file:///repo/src/a.js:12:5), at /repo/src/a.js:12:5
  /^\s*at (?:.*\()?(?:file:\/\/)?(?<path>[^\s()]+?):(?<line>\d+):\d+\)?$/,
  // vitest: ❯ test/a.test.ts:12:5
  /^\s*❯ (?:\S+ )?(?<path>[^\s():]+):(?<line>\d+):\d+\s*$/,
  // TAP of node:test: location: '/repo/test/a.test.js:12:3'
  /^\s*location: '(?<path>[^']+?):(?<line>\d+):\d+'$/,
  // Python, pytest, Bats: File "/repo/a.py", line 12, in name, (in test file a.bats, line 12)
  /\bfile "?(?<path>[^\s"]+)"?, line (?<line>\d+)/i,
  // .NET: at Name() in /repo/a.cs:line 12
  /^\s*at .* in (?<path>[^\s:]+):line (?<line>\d+)$/,
  // Rust: thread 'name' panicked at src/a.rs:12:5:
  /^\s*thread .* panicked at (?<path>[^\s:]+):(?<line>\d+):\d+:?$/,
  // PHPUnit, RSpec: /repo/a.php:12, # ./spec/a_spec.rb:12:in 'name'
  /^\s*(?:# )?(?<path>[^\s:()]+):(?<line>\d+)(?::in .*)?$/,
  // compilers, linters, grep: src/a.c:12:5: message, src/a.go:12: message
  /^\s*(?<path>[^\s:()]+):(?<line>\d+)(?::\d+)?: (?<message>.+)$/,
];

/** Finds the place in code that a line of output names; undefined if it names none. */
export function spotIn(line: string) {
  for (const shape of shapes) {
    const groups = shape.exec(beginningOf(line, 2000))?.groups;
    const path = groups?.['path'];
    if (path !== undefined) return { path, line: Number(groups?.['line']), message: groups?.['message'] };
  }
  return undefined;
}

/**
 * Finds a path in the repository: one from the diff, matched by its end, or a relative path that stays
 * inside.
 */
export function repositoryPath(path: string, changed: readonly string[]): string | undefined {
  const clean = path.replaceAll('\\', '/').replace(/^(?:\.\/)+/, '');
  const inDiff = changed.filter((known) => clean === known || clean.endsWith(`/${known}`));
  if (inDiff.length > 0) return inDiff.reduce((long, known) => (known.length > long.length ? known : long));
  const parts = clean.split('/');
  const isForeign = parts.some((part) => ['', '.', '..', 'node_modules', '.git'].includes(part));
  return isForeign || clean.includes(':') || !/[a-z]/i.test(clean) || !/[./]/.test(clean) ? undefined : clean;
}
