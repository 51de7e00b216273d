import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onceInRun } from '../setup/once.ts';
import {
  type Accounts,
  type AppFixture,
  type AppFixtureOptions,
  type SeedForge,
  startAppFixture,
  waitForDeliveries,
  waitForFirstSweep,
} from './app-fixture.ts';
import type { PullClient } from './pull-client.ts';

/** The most that one test file needs. */
const runCount = 5;

export interface FixtureWithRuns {
  readonly fixture: AppFixture;
  /** An unused pull request whose run waits for approval in iteration 0. */
  next(): PullClient;
}

/** Starts a new App on a copy of a forge whose runs were created once for all test files. */
export async function startFixtureWithRuns(
  options: Pick<AppFixtureOptions, 'variables'> = {},
): Promise<FixtureWithRuns> {
  const { folder, facts } = await onceInRun('waiting-runs', createRuns);
  const pulls = [...facts.pulls];
  const fixture = await startAppFixture({
    ...options,
    seedForge: (target) => copyForge(forgeIn(folder), target, facts),
  });
  // Now the new App has loaded the runs.
  await waitForFirstSweep(fixture);
  const next = () => {
    const number = pulls.shift();
    if (number === undefined) throw new Error(`there are only ${runCount} runs for a test file`);
    return fixture.ada.looksAt(number);
  };
  return { fixture, next };
}

interface CreatedRuns {
  readonly accounts: Accounts;
  readonly pulls: readonly number[];
  readonly host: string;
}

/** Starts all runs at once with a real App. */
async function createRuns(folder: string): Promise<CreatedRuns> {
  const fixture = await startAppFixture({ dir: forgeIn(folder), unchecked: true });
  try {
    const tasks = Array.from({ length: runCount }, (_, index) => `Make it fine (${index + 1})`);
    const pulls = await Promise.all(tasks.map((task) => fixture.ada.starts(task)));
    for (const pull of pulls) await pull.waitForPhase('awaiting_approval');
    await fixture.app.stop();
    await waitForDeliveries(fixture);
    const { accounts, forge } = fixture;
    return { accounts, pulls: pulls.map(({ number }) => number), host: new URL(forge.url).host };
  } finally {
    await fixture.end();
  }
}

/** Copies the forge's data. The old host occurs only in texts written by the App, and is replaced there. */
async function copyForge(
  from: string,
  to: Parameters<SeedForge>[0],
  { accounts, host }: CreatedRuns,
): Promise<Accounts> {
  cpSync(from, to.dir, { recursive: true });
  const state = join(to.dir, 'forge.json');
  writeFileSync(state, readFileSync(state, 'utf8').replaceAll(host, to.host));
  return accounts;
}

function forgeIn(folder: string): string {
  return join(folder, 'forge');
}
