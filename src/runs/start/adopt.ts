import { objectionToBranch } from '../../engine/push-target.ts';
import { runExclusive } from '../../git/keyed-mutex.ts';
import { openPullsAt, type PullFacts } from '../../github/read/pulls.ts';
import { ledgersOf } from '../../ledger/list-ledgers.ts';
import { contributorsIn, historyOf } from '../../repository/contributors.ts';
import type { Repository } from '../../repository/repository.ts';
import { ownWorkRule } from '../../steering/approval/authorization.ts';
import { isOver } from '../../steering/phases/table.ts';
import type { Contributors } from '../../steering/shapes/people.ts';
import type { State } from '../../steering/state/state.ts';
import { setupBranch } from '../../words/setup-texts.ts';
import type { StartRefusal } from '../../words/start-texts.ts';
import { drawnBefore } from '../run/lost-run.ts';
import type { Run } from '../run/run.ts';
import { beginLedger, withDependencies } from './begin-ledger.ts';
import { signsAdopted } from './claim.ts';
import { asWritten, checkedTask, requireOwnWords, writtenTask } from './requested-task.ts';
import { baseOf } from './start-base.ts';
import { CannotStart, type Starting } from './starting.ts';

/** Starts a run on an existing pull request and its branch. */
export function adopt(starting: Starting, number: number): Promise<Run> {
  // Of two that have the same head, the second sees the ledger of the first.
  return runExclusive(`adopt in ${starting.runs.repository.id}`, () => adoptNow(starting, number));
}

async function adoptNow(starting: Starting, number: number): Promise<Run> {
  const { request, runs } = starting;
  const { repository } = runs;
  const run = runs.of(number);
  const live = await run.readLedger();
  if (live !== undefined && !live.seen.has(request.cause)) throw new CannotStart(objectionTo(live.state));
  const pull = await run.pull();
  if (isProposal(repository, pull)) throw new CannotStart({ why: 'setup_pull', open: pull.open });
  if (pull.from_fork) throw new CannotStart({ why: 'fork' });
  if (!pull.open) throw new CannotStart({ why: 'pull_closed' });
  if (pull.head_ref === pull.default_branch)
    throw new CannotStart({ why: 'default_branch', branch: pull.head_ref });
  if (live === undefined) await requireNoRun(run, pull);
  const other = await otherRunAt(repository, pull);
  if (other !== undefined) throw new CannotStart({ why: 'head_taken', by: other });
  const written = await writtenTask(starting);
  const { sha: _, problems, ...rules } = await baseOf(asWritten(starting, written), pull);
  const { base, settings } = rules;
  const reason = await objectionToBranch(run, { ...pull, isOurs: false });
  if (reason !== undefined) throw new CannotStart({ why: 'guarded_branch', reason });
  requireOwnWords(starting, settings);
  const checked = checkedTask(starting, { base, problems }, written);
  const isNew = live === undefined;
  const dependent = isNew
    ? await withDependencies(starting, checked, number)
    : { task: checked.task, on: [] };
  const asksWho = ownWorkRule(settings.approval) !== undefined;
  const signs = await signsAdopted(repository, pull, { base, settings, at: request.at });
  const known = asksWho ? await contributorsOf(repository, pull) : undefined;
  return beginLedger(starting, {
    number,
    branch: pull.head_ref,
    head: pull.head_sha,
    ...rules,
    ...dependent,
    adopted: true,
    signs,
    ...(known !== undefined && { contributors: known }),
  });
}

/** A pull request has one run, also when it has ended. */
function objectionTo({ run, standing: { phase } }: State): StartRefusal {
  return isOver(phase) ? { why: 'over', phase } : { why: 'already_running', number: run.number, phase };
}

/** What we proposed as a configuration is no work for agents. */
function isProposal({ own }: Repository, { author, head_ref, from_fork }: PullFacts): boolean {
  return author === own.login && head_ref === setupBranch && !from_fork;
}

/**
 * A run whose ledger and block someone removed is not begun anew by `/run`: it would forget who shaped it.
 */
async function requireNoRun(run: Run, pull: PullFacts): Promise<void> {
  const { own } = run.repository;
  // Whatever an App opens is a run; a workflow's token opens other pull requests, too.
  const isOurs = 'id' in own.app && pull.author === own.login;
  if (!isOurs && (await drawnBefore(run, pull)).seq === 0) return;
  const what = `the ledger of #${pull.number} is gone; someone with maintain access can fix that with /resume`;
  throw new CannotStart({ why: 'ledger_lost', what });
}

/** What GitHub does not list yet is asked for again before the run is finished. */
async function contributorsOf(repository: Repository, pull: PullFacts): Promise<Contributors> {
  const history = await historyOf(repository, pull);
  const { people, complete } = await contributorsIn(repository, { ...pull, adopted: true }, history);
  return { people, complete: complete || history.lags };
}

/**
 * The number of another pull request with this head that has a run in progress. Check runs belong to a
 * commit, so two runs on one commit would each show what the other decided.
 */
async function otherRunAt(
  { octokit, remote, ...where }: Repository,
  { number, head_sha }: Pick<PullFacts, 'number' | 'head_sha'>,
): Promise<number | undefined> {
  const others = (await openPullsAt(octokit, where, head_sha)).filter((other) => other !== number);
  if (others.length === 0) return undefined;
  const ledgers = await ledgersOf(remote, others);
  return others.find((other) => ledgers.get(other)?.includes('open'));
}
