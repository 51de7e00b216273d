import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { processesOf, removeWithProcesses } from './processes.ts';

/**
 * One folder for all that a test run leaves on disk: every worker has it for its temporary folder, so that
 * everything goes when the run ends, and also when it is interrupted.
 */
export default function setUpRunFolder(project: TestProject): () => void {
  const own = [project.tmpDir, project.vitest.getRootProject().tmpDir];
  // Each project of the run asks for it.
  const isSetUp = process.env[variable] !== undefined;
  const folder = isSetUp ? undefined : mkdtempSync(join(tmpdir(), 'coxswain-tests-'));
  const before = process.env['TMPDIR'];
  if (folder !== undefined) Object.assign(process.env, { TMPDIR: folder, [variable]: folder });
  const remove = () => {
    if (folder !== undefined) removeWithProcesses(folder);
    for (const each of own) rmSync(each, { recursive: true, force: true });
  };
  // vitest ends itself on SIGINT and SIGTERM without a teardown, but not without this.
  process.once('exit', remove);
  return () => {
    if (folder === undefined) return;
    tellOfLeftovers(folder);
    removeWithProcesses(folder);
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  };
}

const variable = 'COXSWAIN_TEST_FOLDER';

/** What tests share during the run lies here, made by whoever needs it first. */
export function sharedFolder(): string {
  const folder = join(process.env[variable] ?? tmpdir(), sharedName);
  mkdirSync(folder, { recursive: true });
  return folder;
}

const sharedName = 'shared';

/** A test that leaves something, or a product that does, is a mistake, although it is cleared away here. */
function tellOfLeftovers(folder: string): void {
  const left = readdirSync(folder).filter((name) => name !== sharedName);
  const running = processesOf(folder).map(({ pid, line }) => `process ${pid}: ${line}`);
  if (left.length + running.length === 0) return;
  console.error(`the tests left in their temporary folder:\n${[...left, ...running].join('\n')}`);
  process.exitCode = 1;
}
