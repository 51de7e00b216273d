import { GitError, git } from '../../git/git.ts';
import { inside } from '../../git/objects.ts';
import type { PullFacts } from '../../github/read/pulls.ts';
import type { Seals } from '../../seal/seals.ts';
import type { Account } from '../../steering/person.ts';
import type { Run } from '../run.ts';
import { claimAt, isSealed } from '../start/claim.ts';

/** What the commit with which we claimed the branch of a pull request says, because we sealed it. */
export interface SoundClaim {
  /** The issue the run was for; null if there was none. */
  readonly issue: number | null;
  /** Who asked for the run. */
  readonly requester: Account | null;
  /** As `taskDigest` computes it. */
  readonly task_digest: string | null;
  /** Whether it is still the head of the branch. */
  readonly is_head: boolean;
}

/** The claim with which the branch of a pull request begins; undefined if it begins with none of ours. */
export async function claimOf(run: Run, pull: PullFacts, seals: Seals): Promise<SoundClaim | undefined> {
  const { repository } = run;
  const mirror = await repository.mirror();
  await mirror.fetch();
  const first = await firstCommit(mirror.dir, pull);
  const claim = first === undefined ? undefined : await claimAt(mirror, first);
  if (claim === undefined) return undefined;
  const place = { repository_id: repository.id, branch: pull.head_ref, base: claim.base };
  return isSealed(claim, place, seals)
    ? { ...soundClaim(claim.text), is_head: first === pull.head_sha }
    : undefined;
}

function soundClaim(text: string): Omit<SoundClaim, 'is_head'> {
  const [, issue] = /^Coxswain-Issue: (\d{1,9})$/m.exec(text) ?? [];
  const [, login, id] = /^Coxswain-Requested-By: (\S+) \((\d{1,15})\)$/m.exec(text) ?? [];
  const [, task_digest = null] = /^Coxswain-Task-Digest: ([0-9a-f]{64})$/m.exec(text) ?? [];
  return {
    issue: issue === undefined ? null : Number(issue),
    requester: login === undefined ? null : { login, id: Number(id) },
    task_digest,
  };
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
