import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { processesOf, removeWithProcesses } from './processes.ts';

/**
 * One folder for everything that a test run writes: it is the temporary folder of every worker, so that
 * everything is removed when the run ends, even if it is interrupted.
 */
export default function setUpRunFolder(project: TestProject): () => void {
  const own = [project.tmpDir, project.vitest.getRootProject().tmpDir];
  // Every project of the run calls this.
  const isSetUp = process.env[variable] !== undefined;
  const folder = isSetUp ? undefined : mkdtempSync(join(shortTemporaryFolder(), 'coxswain-tests-'));
  const before = process.env['TMPDIR'];
  // npm keeps a cache of compiled code in the temporary folder, where it would be left.
  const settings = { TMPDIR: folder, [variable]: folder, NODE_DISABLE_COMPILE_CACHE: '1' };
  if (folder !== undefined) Object.assign(process.env, settings);
  const remove = () => {
    if (folder !== undefined) removeWithProcesses(folder);
    for (const each of own) rmSync(each, { recursive: true, force: true });
  };
  // On SIGINT and SIGTERM vitest exits without a teardown, but this handler still runs.
  process.once('exit', remove);
  return () => {
    if (folder === undefined) return;
    reportLeftovers(folder);
    removeWithProcesses(folder);
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  };
}

const variable = 'COXSWAIN_TEST_FOLDER';

/** The path of a socket has at most 107 bytes, and tests put some into folders of their own. */
function shortTemporaryFolder(): string {
  return tmpdir().length > 40 ? '/tmp' : tmpdir();
}

/** The folder for what tests share; created on first use. */
export function sharedFolder(): string {
  const folder = join(process.env[variable] ?? tmpdir(), sharedName);
  mkdirSync(folder, { recursive: true });
  return folder;
}

const sharedName = 'shared';

/** Fails the run if tests, or the code they run, left files or processes behind. */
function reportLeftovers(folder: string): void {
  const left = readdirSync(folder).filter((name) => name !== sharedName);
  const running = processesOf(folder).map(({ pid, line }) => `process ${pid}: ${line}`);
  if (left.length + running.length === 0) return;
  console.error(`the tests left in their temporary folder:\n${[...left, ...running].join('\n')}`);
  process.exitCode = 1;
}
