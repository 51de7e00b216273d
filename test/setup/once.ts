import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { sharedFolder } from './run-folder.ts';

const pollEveryMs = 50;
const timeoutMs = 600_000;

/** The result of `onceInRun`. The facts must survive JSON. */
interface Made<Facts> {
  readonly folder: string;
  readonly facts: Facts;
}

/**
 * Creates something once in a test run: the first caller creates it, the others wait, in any worker.
 */
export async function onceInRun<Facts>(
  name: string,
  make: (folder: string) => Promise<Facts>,
): Promise<Made<Facts>> {
  const folder = join(sharedFolder(), name);
  if (isOurs(folder)) await makeIn(folder, make);
  else await isMade(folder);
  // Written by `makeIn` from the result of the same function.
  const { facts, fault } = JSON.parse(readFileSync(resultIn(folder), 'utf8')) as Result<Facts>;
  if (fault !== undefined) throw new Error(`could not make ${name}: ${fault}`);
  return { folder, facts };
}

interface Result<Facts> {
  readonly facts: Facts;
  readonly fault?: string;
}

function isOurs(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch {
    return false; // another was first
  }
}

async function makeIn(folder: string, make: (folder: string) => Promise<unknown>): Promise<void> {
  const result = await make(folder).then(
    (facts) => ({ facts }),
    (fault: unknown) => ({ fault: fault instanceof Error ? (fault.stack ?? fault.message) : String(fault) }),
  );
  writeFileSync(`${resultIn(folder)}.new`, JSON.stringify(result));
  renameSync(`${resultIn(folder)}.new`, resultIn(folder));
}

async function isMade(folder: string): Promise<void> {
  const until = performance.now() + timeoutMs;
  while (!existsSync(resultIn(folder))) {
    if (performance.now() > until) throw new Error(`${folder} was not made within ${timeoutMs / 1000} s`);
    await setTimeout(pollEveryMs);
  }
}

function resultIn(folder: string): string {
  return join(folder, 'result.json');
}
