import type { Log } from '../../github/octokit/connect.ts';
import { spokenSince } from '../../github/read/pull-timeline.ts';
import { timeRunsSince } from '../../steering/decide.ts';
import { deadlines } from '../../steering/handlers/deadlines.ts';
import type { Spoken } from '../../steering/shapes/finishing.ts';
import type { Deadline } from '../../steering/shapes/standing.ts';
import type { State } from '../../steering/state/state.ts';
import type { Clock } from '../repository/github-clock.ts';
import { catchUp } from './catch-up.ts';
import type { Run } from './run.ts';

interface Firing {
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * A deadline has come. What people have said meanwhile is read before the timer acts, because it takes
 * precedence; if some of it cannot be read, the timer does not act.
 */
export async function fireTimer(run: Run, { kind, at }: Deadline, { clock, log }: Firing): Promise<void> {
  const snapshot = await run.readLedger();
  if (snapshot === undefined) return;
  const [unread] = await catchUp(run, snapshot, log);
  if (unread !== undefined) throw unread;
  if (kind === 'checks') await run.readChecks();
  const spoken = kind === 'proceed' ? await spokenIn(run, run.newest) : undefined;
  await run.record({
    ...{ type: 'timer_due', id: `timer:${kind}:${at}`, at: clock.now().toISOString() },
    ...{ timer: kind, deadline: at },
    ...(spoken !== undefined && { spoken }),
  });
}

/** Who has said something since people can, command or not; undefined if nobody has. */
export async function spokenIn(run: Run, state: State | undefined): Promise<Spoken | undefined> {
  const since = state && timeRunsSince(state);
  if (since === undefined) return undefined;
  const { repository, number } = run;
  const { seen = new Set<string>() } = (await run.readLedger()) ?? {};
  return spokenSince(repository.octokit, { where: repository, number, seen }, since);
}

/** A run cannot have more deadlines at once. */
const maxDue = 5;

/** Acts on every deadline of a run that has passed, earliest first. */
export async function fireDue(run: Run, { clock, log }: Firing): Promise<void> {
  for (let fired = 0; fired < maxDue; fired++) {
    const state = (await run.readLedger())?.state;
    const [first] = state === undefined ? [] : deadlines(state);
    if (first === undefined || Date.parse(first.at) > clock.now().getTime()) return;
    await fireTimer(run, first, { clock, log });
  }
}
