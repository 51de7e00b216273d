import { statSync } from 'node:fs';
import { type Version, versionOf } from './version.ts';

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
