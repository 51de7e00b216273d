import { isAncestor, onlyMergesBase } from '../../git/merges.ts';
import { interactionsOf } from '../../steering/iterations/interactions.ts';
import type { EventOf } from '../../steering/state/event.ts';
import type { State } from '../../steering/state/state.ts';
import { messageOf } from '../repository/faults.ts';
import type { Asking, SaidFacts } from './asking.ts';

/** Whether the branch has everything of its base, for a command that would merge that. */
export async function findBranchFacts({ run }: Asking): Promise<SaidFacts> {
  const state = await run.state();
  if (state === undefined) return {};
  const mirror = await run.repository.mirror();
  await mirror.fetch();
  const tip = await mirror.resolve(`refs/heads/${state.run.base}`);
  const head = await mirror.resolve(`refs/heads/${state.run.branch}`);
  if (tip === undefined || head === undefined) return {};
  const has = await mirror.reading(() => isAncestor(mirror.dir, tip, head));
  return has ? { up_to_date: true } : {};
}

/**
 * Whether a push only merges the base branch, as the button "Update branch" does. That matters only to a run
 * that was on show, so before that nothing is read. A push of which Git cannot tell is recorded like any
 * other: it must revoke an approval, however long a fetch of what was pushed takes.
 */
export async function findPushFacts(
  event: EventOf<'pushed'>,
  { run, services: { log } }: Asking,
): Promise<Pick<EventOf<'pushed'>, 'merges_base'>> {
  if (event.forced) return {};
  const state = await run.state();
  if (state === undefined || interactionsOf(state).length === 0) return {};
  const isMerge = await mergesBase(event, state, run).catch((fault: unknown) => {
    log.warn(`could not tell what was pushed to ${run.name}: ${messageOf(fault)}`);
    return false;
  });
  return isMerge ? { merges_base: true } : {};
}

async function mergesBase(
  { before, head: after }: EventOf<'pushed'>,
  { run: { base, branch } }: State,
  { repository }: Asking['run'],
): Promise<boolean> {
  const mirror = await repository.mirror();
  await mirror.fetch([base, branch].map((name) => `+refs/heads/${name}:refs/heads/${name}`));
  return onlyMergesBase(mirror.dir, { before, after, base: `refs/heads/${base}` });
}
