import { readPull } from '../../github/read/pulls.ts';
import type { EventOf } from '../../steering/state/event.ts';
import { openRuns, type Place } from '../dependencies/open-runs.ts';

/**
 * In whose place a run is whose ledger was lost, and what is in its own. Only what the ledgers of those
 * others say counts; the description, which anyone may have changed, tells which of them to look at.
 */
export async function linksFound(
  place: Place,
  number: number,
): Promise<Pick<EventOf<'run_started'>, 'replaces' | 'replaced_by'>> {
  const { body } = await readPull(place.repository.octokit, place.repository, number);
  const [, named] = /\btakes the place of #(\d{1,9})\b/i.exec(body) ?? [];
  const { liveRuns, repository } = place;
  const old = named === undefined ? undefined : await liveRuns.of(repository, Number(named)).readLedger();
  const { cause, made = [] } = old?.state.replaced_by ?? {};
  const own = made.find((each) => each.number === number);
  const fresh = (await openRuns(place)).flatMap((run) =>
    run.replaces?.number === number ? [{ ...run.replaces, number: run.number }] : [],
  );
  const [first] = fresh;
  return {
    ...(own !== undefined && cause !== undefined && { replaces: { ...own, number: Number(named), cause } }),
    ...(first !== undefined && {
      replaced_by: {
        cause: first.cause,
        made: fresh.map(({ name, number: made }) => ({ name, number: made })),
      },
    }),
  };
}
