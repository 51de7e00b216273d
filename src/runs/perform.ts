import { MissingPermission } from '../github/octokit/fault.ts';
import { lastReopening } from '../github/read/pulls.ts';
import { requestReviews } from '../github/write/open-pull.ts';
import { messageOf } from '../repository/faults.ts';
import { isOver } from '../steering/phases/table.ts';
import { hasFailed, tried } from '../steering/process-state.ts';
import type { Performable } from '../steering/state/pending-effect.ts';
import type { State } from '../steering/state/state.ts';
import { givenUpText } from '../words/parts/resolution-texts.ts';
import { wakeDependents } from './dependencies/waking.ts';
import { checkFirst } from './finish/check-again.ts';
import { mergeRun } from './finish/merge-run.ts';
import { recordMissedEnd } from './run/catch-up.ts';
import { reportChecks } from './run/ci-checks.ts';
import type { RepositoryRuns } from './run/live-runs.ts';
import type { Run } from './run/run.ts';
import { closeIssueIfLast, spawnRuns } from './spawning/spawn-runs.ts';

/** Does what a state owes, on the pull request of its run or in other runs. */
export async function perform(
  effect: Performable,
  state: State,
  run: Run,
  runs: RepositoryRuns,
): Promise<void> {
  switch (effect.do) {
    case 'reply':
      return run.drawing.send(effect, state);
    case 'withdraw':
      return run.drawing.withdraw(effect, () => run.newest ?? state);
    case 'close':
      // Somebody may have merged it meanwhile, of which we were not told.
      if ((await isWantedOpen(effect, run, state)) || (await recordMissedEnd(run))) return;
      return run.drawing.close(state);
    case 'draw':
      // Every state is drawn, and this counts as done only when that one is.
      return;
    case 'request_reviews':
      return tryToAsk(run, effect);
    case 'record_outcome':
      // The Action, which could not prove it, has no such runs.
      return run.services.formerRuns?.record(effect.outcome, run.repository);
    case 'spawn':
      return spawnRuns(run, state, runs);
    case 'wake':
      return wakeDependents(run, state, runs);
    case 'tell_issue':
      return tellIssue(run, state, effect.id);
    case 'close_issue':
      return closeIssueIfLast(run, state, runs);
    case 'read_checks':
      return reportChecks(run);
    case 'check_finish':
      return checkFirst(run, state);
    case 'merge':
      // GitHub does not merge drafts, and its rules may require our check to succeed.
      await run.drawing.presentNow(state);
      return mergeRun(run, effect);
  }
}

/**
 * Whether somebody has reopened it since the run ended, as far as the ledger or GitHub knows: another process
 * may have closed it before.
 */
async function isWantedOpen(
  { at }: Extract<Performable, { do: 'close' }>,
  { repository, number, newest }: Run,
  state: State,
): Promise<boolean> {
  if (!isOver((newest ?? state).standing.phase)) return true;
  const reopening = await lastReopening(repository.octokit, repository, number);
  return reopening !== undefined && at !== undefined && Date.parse(reopening.at) > Date.parse(at);
}

/** Tells the issue, once for each decision, that the run of it was given up or replaced. */
async function tellIssue(run: Run, { run: { issue, number }, standing, started_at }: State, id: string) {
  // Somebody may have begun it again meanwhile.
  if (issue === null || standing.phase !== 'abandoned') return;
  await run.say(id, givenUpText(number, standing), { since: started_at, on: issue });
}

/** Enough for an outage of some minutes, with the sweep that follows it. */
const maxTries = 10;

/** Nothing depends on it: it is tried again a few times, and then left, which the operator is told. */
async function tryToAsk(run: Run, { id, of }: Extract<Performable, { do: 'request_reviews' }>) {
  try {
    await askReviewers(run, of);
  } catch (fault) {
    run.process = tried(run.process, id, { failed: true });
    if (!hasFailed(run.process, id, maxTries) || fault instanceof MissingPermission) throw fault;
    const doing = `request reviews on ${run.name}`;
    run.services.log.warn(`gave up to ${doing} after ${maxTries} tries: ${messageOf(fault)}`);
  }
  run.process = tried(run.process, id, { failed: false });
}

/** Requests reviews from people and teams, as far as GitHub lets us; a workflow's token cannot ask teams. */
async function askReviewers(run: Run, of: readonly string[]): Promise<void> {
  const { author, open } = await run.pull();
  if (!open) return;
  const { presenter, log } = run.services;
  const askable = of.filter((name) => presenter === 'app' || !name.includes('/'));
  const refused = await requestReviews(run.target(), { of: askable, author });
  if (refused.length > 0)
    log.warn(`${run.name}: GitHub lets us request no review from ${refused.join(', ')}`);
}
