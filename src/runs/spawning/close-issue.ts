import { openPulls } from '../../github/read/pulls.ts';
import { repoParams } from '../../github/read/repository-ref.ts';
import { isOver } from '../../steering/phases/table.ts';
import type { EventOf } from '../../steering/state/event.ts';
import type { State } from '../../steering/state/state.ts';
import { issueDoneText } from '../../words/parts/resolution-texts.ts';
import { notEnded } from '../dependencies/read-dependencies.ts';
import { noteTurned } from '../dependencies/waking.ts';
import type { RepositoryRuns } from '../run/live-runs.ts';
import type { Run } from '../run/run.ts';
import { stateOf } from '../start/begin-ledger.ts';

/**
 * Closes the issue if no other run is at work on it any more: of several that have taken the place of one,
 * GitHub knows of none that it is the last.
 */
export async function closeIssueIfLast(run: Run, state: State, runs: RepositoryRuns): Promise<void> {
  const { repository } = run;
  const { octokit } = repository;
  const { issue, number, base } = state.run;
  // As with GitHub's own words for it, only what is in the default branch closes an issue.
  if (issue === null || state.replaces === undefined || base !== repository.default_branch) return;
  if (await isWorkedOn(run, issue, runs)) return;
  const { data } = await octokit.rest.issues.get({ ...repoParams(repository), issue_number: issue });
  if (data.state === 'closed') return;
  const merged = await mergedBeside(run, state, runs);
  const text = issueDoneText(state.replaces.number, merged);
  await run.say(`issue_done:${number}`, text, { since: state.started_at, on: issue });
  const closed = { state: 'closed', state_reason: 'completed' } as const;
  await octokit.rest.issues.update({ ...repoParams(repository), issue_number: issue, ...closed });
  // What is done with a workflow's token starts no workflow, so nobody else hears of it.
  await noteTurned(issue, runs);
}

/** Whether another run is in progress on the issue, whatever it has taken the place of. */
async function isWorkedOn(
  { repository, number }: Run,
  issue: number,
  runs: RepositoryRuns,
): Promise<boolean> {
  const { octokit, own } = repository;
  for (const pull of await openPulls(octokit, repository)) {
    if (pull.author !== own.login || pull.number === number) continue;
    const state = await stateOf(runs.of(pull.number));
    if (state?.run.issue === issue && !isOver(state.standing.phase)) return true;
  }
  return false;
}

/** The runs that were made with this one and are merged, and this one. */
async function mergedBeside(
  { number }: Run,
  { replaces }: State,
  runs: RepositoryRuns,
): Promise<readonly number[]> {
  const old = replaces && (await stateOf(runs.of(replaces.number)));
  const merged: number[] = [];
  for (const made of old?.replaced_by?.made ?? []) {
    if (made.number === number) continue;
    const pull = await runs.of(made.number).pull();
    if (pull.merged) merged.push(made.number);
  }
  return [...merged, number].toSorted((one, other) => one - other);
}

/**
 * In whose place a run is whose ledger was lost, and what is in its own. Only what the ledgers of those
 * others say counts; the description, which anyone may have changed, tells which of them to look at.
 */
export async function linksFound(
  run: Run,
  runs: RepositoryRuns,
): Promise<Pick<EventOf<'run_started'>, 'replaces' | 'replaced_by'>> {
  const { number } = run;
  const { body } = await run.pull();
  const [, named] = /\btakes the place of #(\d{1,9})\b/i.exec(body) ?? [];
  const old = named === undefined ? undefined : await runs.of(Number(named)).readLedger();
  const { cause, made = [] } = old?.state.replaced_by ?? {};
  const own = made.find((each) => each.number === number);
  const fresh = (await notEnded(runs)).flatMap((other) =>
    other.replaces?.number === number ? [{ ...other.replaces, number: other.number }] : [],
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
