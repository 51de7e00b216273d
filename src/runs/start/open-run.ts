import { claimBranch } from '../../git/claim-branch.ts';
import { listRemote } from '../../git/remote.ts';
import { findPullByHead, type PullFacts } from '../../github/read/pulls.ts';
import { inertTitle } from '../../github/words/index.ts';
import { claimMessage, pullBody } from '../../github/words/starting.ts';
import { openDraftPull } from '../../github/write/open-pull.ts';
import type { Task } from '../../steering/task.ts';
import { redactAll } from '../../text/redact.ts';
import type { Run } from '../run.ts';
import { baseOf } from './base.ts';
import { beginLedger } from './begin-ledger.ts';
import { branchName, claimId, claimPattern } from './branch-name.ts';
import { CannotStart } from './cannot-start.ts';
import type { Starting } from './starting.ts';
import { taskOf } from './task.ts';

/** A safety limit on the number of runs per issue. */
const maxRunsAnIssue = 1000;

/**
 * Claims a branch, opens the pull request and creates the ledger. Each step reuses what an earlier try left
 * behind. Undefined if the request is older than the end of the run it already led to.
 */
export async function openRun(starting: Starting): Promise<Run | undefined> {
  const { request, repository } = starting;
  const { base, sha, settings } = await baseOf(starting);
  const task = taskOf(request, `${repository.owner}/${repository.name}`, base);
  const slot = await freeSlot(starting, task);
  if (slot === undefined) return undefined;
  const { branch, pull } = slot;
  const message = claimMessage(task, request);
  const claimed = await claimBranch(await repository.mirror(), {
    branch,
    base: sha,
    message,
    at: request.at,
  });
  const number = pull?.number ?? (await openPull(starting, task, branch));
  return beginLedger(starting, { number, branch, base, head: claimed.sha, task, settings, adopted: false });
}

interface ClaimSlot {
  readonly branch: string;
  /** The pull request that an earlier try opened. */
  readonly pull: PullFacts | undefined;
}

/**
 * The first claim for this cause that no ended run has used. If there is an open run, its start is completed
 * or the request is refused.
 */
async function freeSlot(
  { request, repository, liveRuns }: Starting,
  task: Task,
): Promise<ClaimSlot | undefined> {
  for (let round = 1; round <= maxRunsAnIssue; round++) {
    const id = claimId(repository.id, causeOf(request), round);
    const known = await listRemote(repository.remote, [claimPattern(id)]);
    const branch = [...known.keys()][0]?.replace('refs/heads/', '') ?? branchName(task.title, id);
    const pull = await findPullByHead(repository.octokit, repository, branch);
    if (pull === undefined) return { branch, pull };
    if (pull.open) {
      const live = await liveRuns.of(repository, pull.number).readLedger();
      if (live === undefined || live.seen.has(request.cause)) return { branch, pull };
      throw new CannotStart({ why: 'already_running', number: pull.number });
    }
    if (pull.closed_at !== null && request.at <= pull.closed_at) return undefined;
  }
  throw new Error(`issue ${request.issue?.number} was run ${maxRunsAnIssue} times`);
}

/** An issue has at most one open run, however it is requested; any other request is its own cause. */
function causeOf({ issue, cause }: Starting['request']): string {
  return issue === null ? cause : `issue:${issue.number}`;
}

async function openPull(starting: Starting, task: Task, branch: string): Promise<number> {
  const { request, repository, liveRuns } = starting;
  const texts = { title: inertTitle(task.title), body: pullBody(task, request) };
  const wanted = {
    where: repository,
    branch,
    base: task.base,
    ...redactAll(texts, liveRuns.services.secrets),
  };
  const { pull } = await openDraftPull(repository.octokit, wanted);
  return pull.number;
}
