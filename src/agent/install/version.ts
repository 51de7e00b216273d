import { statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environment } from '../environment.ts';
import { runChild } from '../process/child.ts';

/** What a program says of its version, or why nothing is known of it, in part of a sentence. */
export type Version = { readonly version: string } | { readonly problem: string };

const timeoutMs = 60_000;

/** Asks a program for its version, with nothing of ours in its environment and a home of its own. */
export async function versionOf(argv: readonly string[], workRoot: string): Promise<Version> {
  const home = await mkdtemp(join(tmpdir(), 'coxswain-version-'));
  try {
    const env = environment({ home, temp: home });
    const request = { argv, cwd: home, env, timeoutMs, workRoot, keepBytes: 64 * 1024 };
    const result = await runChild(request, new AbortController().signal);
    const line = argv.slice(-2).join(' ');
    if (result.end === 'not_started') return { problem: `it cannot be started: ${result.message}` };
    if (result.end !== 'exited') return { problem: `\`${line}\` ended with ${result.end}` };
    const said = (result.stderr.trim() || result.stdout.trim()).slice(-300);
    if (result.exitCode !== 0)
      return { problem: `\`${line}\` ended with exit code ${result.exitCode}: ${said}` };
    const version = versionIn(result.stdout);
    return version === undefined ? { problem: `\`${line}\` names no version: ${said}` } : { version };
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** The first thing in a text that looks like a version. */
export function versionIn(text: string): string | undefined {
  return /(?<![\w.-])v?(\d{1,6}\.\d{1,6}\.\d{1,6}(?:-[\w.]{1,40})?)(?![\w-])/
    .exec(text)?.[1]
    ?.replace(/\.$/, '');
}

/** Whether one version comes before another. Of two with the same numbers, one with a suffix does. */
export function isOlder(version: string, than: string): boolean {
  const [own, other] = [numbersOf(version), numbersOf(than)];
  const at = own.findIndex((number, index) => number !== other[index]);
  if (at !== -1) return (own[at] ?? 0) < (other[at] ?? 0);
  return version.includes('-') && !than.includes('-');
}

function numbersOf(version: string): readonly number[] {
  return version.split('-', 1).flatMap((numbers) => numbers.split('.').map(Number));
}

/** The versions of programs, each asked once as long as it stays the same file. */
export class Versions {
  readonly #known = new Map<string, Version>();

  /** Of the program with what comes before its arguments. It is registered below `workRoot`. */
  async of(start: readonly string[], workRoot: string): Promise<Version> {
    const argv = [...start, '--version'];
    const file = statSync(start.at(-1) ?? '', { throwIfNoEntry: false });
    if (file === undefined) return { problem: `there is no ${start.at(-1)}` };
    const key = JSON.stringify([argv, file.ino, file.size, file.mtimeMs]);
    const version = this.#known.get(key) ?? (await versionOf(argv, workRoot));
    if ('version' in version) this.#known.set(key, version);
    return version;
  }
}
