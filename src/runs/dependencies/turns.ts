import { runExclusive } from '../../git/keyed-mutex.ts';
import { branchPrefix } from '../../github/names.ts';
import { openPulls } from '../../github/read/pulls.ts';
import { readConfiguration } from '../../repository/configuration.ts';
import {
  type InLine,
  inLine,
  isCounted,
  isWaiting,
  type OpenRun,
  turnsIn,
} from '../../steering/branch/line-of-runs.ts';
import { areReady } from '../../steering/branch/task-dependencies.ts';
import type { State } from '../../steering/state/state.ts';
import type { RepositoryRuns } from '../run/live-runs.ts';
import type { Run } from '../run/run.ts';
import { listedLedgers, notEnded } from './dependencies.ts';

/** A run that is about to begin or to wait, and how many of a repository may be open. */
interface Coming extends Pick<InLine, 'number' | 'replaces'> {
  readonly most: number | undefined;
}

/** The runs that one has to wait behind whose pull request is there; undefined if it need not. */
export async function turnOf(
  runs: RepositoryRuns,
  { most, ...coming }: Coming,
): Promise<readonly number[] | undefined> {
  if (most === undefined) return undefined;
  const others = (await lineOf(runs)).filter(({ number }) => number !== coming.number);
  const behind = turnsIn([...others, { ...coming, waits: true }], most).get(coming.number) ?? [];
  return behind.length === 0 ? undefined : behind;
}

/**
 * Tells every run that waits for its turn what it is behind now, and the first of them that they can begin.
 * The sweep does what fails.
 */
export function takeTurns(runs: RepositoryRuns): Promise<void> {
  return runExclusive(`turns in ${runs.repository.id}`, async () => {
    const open = await allOpen(runs);
    const waiting = open.filter(isWaiting);
    const [first] = waiting;
    if (first === undefined) return;
    const most = await mostNow(runs, runs.of(first.number));
    const turns = turnsIn(await lineOf(runs), most);
    for (const { number, behind = [] } of waiting) {
      const now = turns.get(number);
      if (now !== undefined && String(now) !== String(behind)) await tell(runs.of(number), now);
    }
  });
}

async function tell(run: Run, behind: readonly number[]): Promise<void> {
  const newest = await run.state();
  if (newest?.standing.phase !== 'blocked' || !areReady(newest.standing.on)) return;
  await run.record({
    ...{ type: 'dependencies_read', id: `turn:${behind.join(',')}@${newest.seq}` },
    ...{ at: run.now(), on: newest.standing.on, base: newest.run.base },
    ...(behind.length > 0 && { behind }),
  });
}

/** How many runs the configuration lets be open now; one that cannot be used leaves it as a run has it. */
export async function mostNow(
  { repository, services }: RepositoryRuns,
  run: Run,
): Promise<number | undefined> {
  const known: State['settings'] | undefined = (await run.state())?.settings;
  const recorded = { recorded: known?.inputs };
  const reading = await readConfiguration(repository, services, recorded);
  return reading.outcome === 'misconfigured' ? known?.open_runs : reading.settings.open_runs;
}

/**
 * The runs that count: those whose pull requests we have opened, and that do not wait for a merge. A pull
 * request is there before its ledger, and its number says its place, so that of two that start at once each
 * knows of the one before it.
 */
async function lineOf(runs: RepositoryRuns): Promise<readonly InLine[]> {
  const { repository } = runs;
  const ledgers = await listedLedgers(runs);
  const pulls = await openPulls(repository.octokit, repository);
  const open = await allOpen(runs);
  const isStarting = ({ number, author, head_ref }: (typeof pulls)[number]) =>
    author === repository.own.login &&
    head_ref.startsWith(branchPrefix) &&
    ![...ledgers, ...open].some((each) => each.number === number);
  const starting = pulls.filter(isStarting).map(({ number }) => ({ number, waits: true }));
  return [...starting, ...open.filter(isCounted).map(inLine)];
}

/** What cannot be read might count. */
async function allOpen(runs: RepositoryRuns): Promise<readonly OpenRun[]> {
  return notEnded(runs, (fault) => {
    throw fault;
  });
}
