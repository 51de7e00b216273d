import { GitError, git } from '../../git/git.ts';
import { inside } from '../../git/objects.ts';
import type { StartIssue } from '../../github/listen/run-event.ts';
import { GitHubFault } from '../../github/octokit/fault.ts';
import type { PullFacts } from '../../github/read/pulls.ts';
import { repoParams } from '../../github/read/repository.ts';
import type { Seals } from '../../seal/seals.ts';
import type { Run } from '../run.ts';
import { claimAt, isSealed } from '../start/claim.ts';

/**
 * The issue for which we claimed the branch of a pull request, as it is now; null if the branch begins with
 * no claim of ours, or with one for no issue.
 */
export async function issueOfClaim(run: Run, pull: PullFacts, seals: Seals): Promise<StartIssue | null> {
  const { repository } = run;
  const mirror = await repository.mirror();
  await mirror.fetch();
  const first = await firstCommit(mirror.dir, pull);
  const claim = first === undefined ? undefined : await claimAt(mirror, first);
  if (claim === undefined) return null;
  const place = { repository_id: repository.id, branch: pull.head_ref, base: claim.base };
  const [, number] = /^Coxswain-Issue: (\d{1,9})$/m.exec(claim.text) ?? [];
  if (number === undefined || !isSealed(claim, place, seals)) return null;
  return readIssue(run, Number(number));
}

/** The oldest commit of the branch that its base does not have. */
async function firstCommit(dir: string, { base_ref, head_sha }: PullFacts): Promise<string | undefined> {
  const range = ['--first-parent', head_sha, `^refs/heads/${base_ref}`];
  try {
    return (await git(['rev-list', ...range], inside(dir))).trim().split('\n').at(-1) || undefined;
  } catch (fault) {
    if (fault instanceof GitError && fault.exitCode === 128) return undefined; // a commit no longer exists
    throw fault;
  }
}

async function readIssue({ repository }: Run, issue_number: number): Promise<StartIssue | null> {
  try {
    const { data } = await repository.octokit.rest.issues.get({ ...repoParams(repository), issue_number });
    const { number, title, body, state } = data;
    return { number, title, body: body ?? '', open: state === 'open' };
  } catch (fault) {
    if (fault instanceof GitHubFault && (fault.status === 404 || fault.status === 410)) return null;
    throw fault;
  }
}
