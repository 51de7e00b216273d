import { runExclusive } from '../../git/keyed-mutex.ts';
import { branchPrefix } from '../../github/names.ts';
import { openPulls } from '../../github/read/pulls.ts';
import { areReady, type InLine, turnsIn } from '../../steering/branch/task-dependencies.ts';

import type { State } from '../../steering/state/state.ts';
import { readConfiguration } from '../repository/configuration.ts';
import type { OpenRun, Run } from '../run/run.ts';
import { listedLedgers, openRuns, type Place } from './open-runs.ts';

/** Only so many runs of a repository are open at once, and the others wait for their turn. */

/** A run that is about to begin or to wait, and how many may be open. */
interface Coming extends Pick<InLine, 'number' | 'replaces'> {
  readonly most: number | undefined;
}

/** The runs that one has to wait behind whose pull request is there; undefined if it need not. */
export async function turnOf(
  place: Place,
  { most, ...coming }: Coming,
): Promise<readonly number[] | undefined> {
  if (most === undefined) return undefined;
  const others = (await lineOf(place)).filter(({ number }) => number !== coming.number);
  const behind = turnsIn([...others, { ...coming, waits: true }], most).get(coming.number) ?? [];
  return behind.length === 0 ? undefined : behind;
}

/**
 * Tells every run that waits for its turn what it is behind now, and the first of them that they can begin.
 * The sweep does what fails.
 */
export function takeTurns(place: Place): Promise<void> {
  const { repository, liveRuns } = place;
  return runExclusive(`turns in ${repository.id}`, async () => {
    const open = await allOpen(place);
    const waiting = open.filter(isWaiting);
    const [first] = waiting;
    if (first === undefined) return;
    const most = await mostNow(place, liveRuns.of(repository, first.number));
    const turns = turnsIn(await lineOf(place), most);
    for (const { number, behind = [] } of waiting) {
      const now = turns.get(number);
      if (now !== undefined && String(now) !== String(behind))
        await tell(liveRuns.of(repository, number), now, place);
    }
  });
}

async function tell(run: Run, behind: readonly number[], { liveRuns }: Place): Promise<void> {
  const newest = await run.state();
  if (newest?.standing.phase !== 'blocked' || !areReady(newest.standing.on)) return;
  await run.record({
    ...{ type: 'dependencies_read', id: `turn:${behind.join(',')}@${newest.seq}` },
    ...{ at: liveRuns.services.clock.now().toISOString(), on: newest.standing.on, base: newest.run.base },
    ...(behind.length > 0 && { behind }),
  });
}

/** How many runs the configuration lets be open now; one that cannot be used leaves it as a run has it. */
export async function mostNow({ repository, liveRuns }: Place, run: Run): Promise<number | undefined> {
  const known: State['settings'] | undefined = (await run.state())?.settings;
  const recorded = { recorded: known?.inputs };
  const reading = await readConfiguration(repository, liveRuns.services, recorded);
  return reading.outcome === 'misconfigured' ? known?.open_runs : reading.settings.open_runs;
}

/**
 * The runs that count: those whose pull requests we have opened, and that do not wait for a merge. A pull
 * request is there before its ledger, and its number says its place, so that of two that start at once each
 * knows of the one before it.
 */
async function lineOf(place: Place): Promise<readonly InLine[]> {
  const { repository } = place;
  const ledgers = await listedLedgers(place);
  const pulls = await openPulls(repository.octokit, repository);
  const open = await allOpen(place);
  const isStarting = ({ number, author, head_ref }: (typeof pulls)[number]) =>
    author === repository.own.login &&
    head_ref.startsWith(branchPrefix) &&
    ![...ledgers, ...open].some((each) => each.number === number);
  const starting = pulls.filter(isStarting).map(({ number }) => ({ number, waits: true }));
  return [...starting, ...open.filter(isCounted).map(inLine)];
}

/** What cannot be read might count. */
async function allOpen(place: Place): Promise<readonly OpenRun[]> {
  return openRuns(place, (fault) => {
    throw fault;
  });
}

/** What somebody else has opened was there to be reviewed anyway. */
function isCounted({ adopted = false, on }: OpenRun): boolean {
  return !adopted && (on === undefined || areReady(on));
}

function isWaiting(run: OpenRun): boolean {
  return run.on !== undefined && areReady(run.on);
}

function inLine(run: OpenRun): InLine {
  const { number, replaces } = run;
  return { number, ...(replaces && { replaces: replaces.number }), waits: isWaiting(run) };
}
