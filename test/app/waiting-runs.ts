import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onceInRun } from '../setup/once.ts';
import type { PullStory } from './pull-story.ts';
import {
  delivered,
  type Ground,
  type Known,
  type Stage,
  type StageOptions,
  setStage,
  swept,
} from './stage.ts';

/** As many as one file needs. */
const howMany = 5;

export interface StageWithRuns {
  readonly stage: Stage;
  /** The pull request of a run that waits for approval in iteration 0, and that no other test has touched. */
  next(): PullStory;
}

/**
 * A stage with runs that were played once for all files, on a forge that is copied and an App that knows
 * nothing.
 */
export async function setStageWithRuns(
  options: Pick<StageOptions, 'variables'> = {},
): Promise<StageWithRuns> {
  const { folder, facts } = await onceInRun('waiting-runs', play);
  const pulls = [...facts.pulls];
  const stage = await setStage({ ...options, ground: (to) => copy(forgeIn(folder), to, facts) });
  // Now it knows them, as the one that started them did.
  await swept(stage);
  const next = () => {
    const number = pulls.shift();
    if (number === undefined) throw new Error(`there are only ${howMany} runs for the tests of a file`);
    return stage.ada.looksAt(number);
  };
  return { stage, next };
}

interface Played {
  readonly known: Known;
  readonly pulls: readonly number[];
  readonly host: string;
}

/** A real App starts them, all at once. */
async function play(folder: string): Promise<Played> {
  const stage = await setStage({ dir: forgeIn(folder), unchecked: true });
  try {
    const tasks = Array.from({ length: howMany }, (_, index) => `Make it fine (${index + 1})`);
    const stories = await Promise.all(tasks.map((task) => stage.ada.starts(task)));
    for (const story of stories) await story.reaches('awaiting_approval');
    await stage.app.stop();
    await delivered(stage);
    const { known, forge } = stage;
    return { known, pulls: stories.map(({ number }) => number), host: new URL(forge.url).host };
  } finally {
    await stage.end();
  }
}

/** Where the forge was reached stands in what the App wrote for people, and nowhere else. */
async function copy(from: string, to: Parameters<Ground>[0], { known, host }: Played): Promise<Known> {
  cpSync(from, to.dir, { recursive: true });
  const state = join(to.dir, 'forge.json');
  writeFileSync(state, readFileSync(state, 'utf8').replaceAll(host, to.host));
  return known;
}

function forgeIn(folder: string): string {
  return join(folder, 'forge');
}
