import type { Told } from '../../github/listen/heard.ts';
import { orTell } from '../../repository/faults.ts';
import { isQuery } from '../../steering/commands/index.ts';
import { covers } from '../../steering/shapes/people.ts';
import type { Event } from '../../steering/state/event.ts';
import type { Run } from '../run/run.ts';

/** How long recording may take before what permits merging is taken back, in milliseconds. */
const patienceMs = 5_000;

/**
 * Records something that may take an approval back; until it is in the ledger, nothing of ours permits
 * merging. Rethrows why it could not be recorded.
 */
export async function recordOrWithhold<T>(record: () => Promise<T>, run: Run, event?: Told): Promise<T> {
  let withheld: Promise<void> | undefined;
  const withhold = () => {
    withheld ??= takeBack(run, event);
    return withheld;
  };
  const timer = setTimeout(withhold, patienceMs);
  try {
    return await record();
  } catch (fault) {
    await withhold();
    throw fault;
  } finally {
    clearTimeout(timer);
  }
}

/** Not what people without write access say, who could otherwise keep others from merging. */
export function mayConcernApproval(event: Told): boolean {
  if (event.type !== 'said') return true;
  const { command, by } = event;
  const name = command.type === 'misspoken' ? command.name : command.type;
  return covers(by.role, 'write') && !isQuery(name) && (command.type !== 'misspoken' || name === 'steer');
}

/**
 * Whether an event ends a run: what ends an approved one is taken back first, because no sweep looks at an
 * ended run whose ledger somebody has removed.
 */
export function mayEnd(event: Event): boolean {
  if (event.type === 'closed') return !event.merged;
  const isEnd = event.type === 'said' && (event.command.type === 'reject' || event.command.type === 'cancel');
  return isEnd && mayConcernApproval(event);
}

/** Withholds what permits merging; `event` is what is recorded, if it comes again until it is. */
export async function takeBack(run: Run, event?: Told): Promise<void> {
  await orTell(run.services.log, `withhold ${run.name}`, () => run.withhold(event));
}
