import { spawnSync } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

/**
 * A program that some tests need. Each is a tag: `test(title, { tags: ['bubblewrap'] }, …)` is skipped where the
 * program is missing, and the last lines of the run say how many were.
 */
interface NeededProgram {
  readonly name: string;
  /** How to get it on Debian and Ubuntu. */
  readonly install: string;
  readonly isThere: boolean;
}

/** The browser for tests of pages; undefined where there is none. */
export const chromiumPath =
  process.env['CHROMIUM'] ?? firstOnPath(['chromium', 'chromium-browser', 'google-chrome']);

/** Whether sandboxes can be made: where AppArmor forbids them, bubblewrap is there and fails. */
export const hasBubblewrap =
  spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-all', 'true'], { stdio: 'ignore' }).status === 0;

export const neededPrograms: readonly NeededProgram[] = [
  { name: 'bubblewrap', install: 'apt install bubblewrap', isThere: hasBubblewrap },
  {
    name: 'chromium',
    install: 'apt install chromium, or its path in CHROMIUM',
    isThere: chromiumPath !== undefined,
  },
  ...[
    { name: 'gh', install: 'apt install gh' },
    { name: 'python3', install: 'apt install python3' },
    { name: 'pip3', install: 'apt install python3-pip python3-venv' },
    { name: 'cc', install: 'apt install gcc' },
    { name: 'go', install: 'apt install golang' },
    { name: 'javac', install: 'apt install default-jdk-headless' },
    { name: 'mvn', install: 'apt install maven' },
  ].map((program) => ({ ...program, isThere: firstOnPath([program.name]) !== undefined })),
  // That of rustup is there, and fails, as long as no toolchain is chosen.
  {
    name: 'cargo',
    install: 'apt install cargo',
    isThere: spawnSync('cargo', ['--version'], { stdio: 'ignore' }).status === 0,
  },
];

/** For the configuration of Vitest. A tag that said `skip: false` would have the last word over another one's. */
export const tags = neededPrograms.map(({ name, isThere }) => (isThere ? { name } : { name, skip: true }));

/** Prints, after everything else, one line for each missing program whose tests were skipped. */
export class MissingPrograms implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap((module) => [...module.children.allTests('skipped')]);
    for (const { name, install } of neededPrograms.filter(({ isThere }) => !isThere)) {
      const count = skipped.filter(({ tags: needed }) => needed.includes(name)).length;
      if (count === 0) continue;
      console.log(`${count} ${count === 1 ? 'test' : 'tests'} skipped: ${name} is missing (${install})`);
    }
  }
}

function firstOnPath(names: readonly string[]): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
