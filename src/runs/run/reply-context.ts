import { type DiffOutput, diffBetween } from '../../git/patches.ts';
import { webOf } from '../../repository/repository.ts';
import type { State } from '../../steering/state/state.ts';
import type { LastOutputs, Sources } from '../../words/status-text.ts';
import type { Run } from './run.ts';

/** Data that replies show but the state does not hold: diffs from Git, earlier output from the ledger. */
export function sourcesOf(run: Run): Sources {
  const { progress, clock, formerRuns } = run.services;
  return {
    web: webOf(run.repository),
    diff: (path, full) => diffOf(run, path, full),
    outputs: () => lastOutputs(run),
    ...(formerRuns && { flakyBefore: () => formerRuns.flaky(run.repository) }),
    progress: () => ({ progress: progress?.of(run.name), now: clock.now() }),
  };
}

/** The most lines of a full diff: more would fit neither in a comment nor on a usable page. */
const wholeDiff = 20_000;

/** Undefined if there is no run yet or its commits no longer exist. */
export async function diffOf(run: Run, path: string | null, full: boolean): Promise<DiffOutput | undefined> {
  const state = run.newest ?? (await run.readLedger())?.state;
  if (state === undefined) return undefined;
  const found = await commitsOf(run, state);
  if (found === undefined) return undefined;
  const { mirror, base, head } = found;
  return diffBetween(
    mirror.dir,
    { base, head },
    {
      repository: run.repository.name,
      ...(path === null ? {} : { file: path }),
      ...(full ? { budget: wholeDiff } : {}),
    },
  );
}

/** Where a run's changes are read, and between which commits; undefined if one of them no longer exists. */
export async function commitsOf(run: Run, state: State) {
  const mirror = await run.repository.mirror();
  await mirror.fetch();
  const [base, head] = await Promise.all([
    mirror.resolve(`refs/heads/${state.run.base}`),
    mirror.resolve(state.head),
  ]);
  return base === undefined || head === undefined ? undefined : { mirror, base, head };
}

/** Of the newest verification. */
export async function lastOutputs(run: Run): Promise<LastOutputs | undefined> {
  const shown = run.newest?.shown;
  if (shown !== undefined && shown !== null) return { head: shown.head_sha, verifiers: shown.verifiers };
  const events = await run.ledger.events();
  return events.findLast((event) => event.type === 'verified');
}
