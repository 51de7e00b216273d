import { type Claim, claimBranch, emptyCommit, PushRefused } from '../../git/claim-branch.ts';
import { anyCommitFrom, isSigned, readObjects, sizesOf } from '../../git/objects.ts';
import { demandsSignatures } from '../../github/read/branch-rules.ts';
import type { PullFacts } from '../../github/read/pulls.ts';
import type { Repository } from '../../repository/repository.ts';
import { signedByGitHub, wantsSignatures } from '../../repository/signing.ts';
import type { Sealed } from '../../seal/seals.ts';
import type { Settings } from '../../steering/shapes/settings.ts';
import type { Task } from '../../steering/shapes/task.ts';
import { claimText } from '../../words/start-texts.ts';
import type { Starting } from './starting.ts';

/** The claim of a branch: an empty commit that names its cause and its task. */
interface ClaimPlace {
  readonly repository_id: number;
  readonly branch: string;
  /** The commit it starts from. */
  readonly base: string;
}

/** The message of a claim. The App seals it, because anyone who knows the cause can compute the name. */
export function claimMessage(
  { request, runs, inPlace }: Starting,
  task: Task,
  place: Omit<ClaimPlace, 'repository_id'>,
): string {
  const skips = inPlace?.skips_ci ?? false;
  // GitHub wants two empty lines before the trailers that end with its own.
  const text = claimText(task, request).replace('\n\n', skips ? '\n\n\n' : '\n\n');
  const { seals } = runs.services;
  const seal = seals?.seal(sealed({ ...place, repository_id: runs.repository.id }, text));
  return `${text}${seal === undefined ? '' : `Coxswain-Seal: ${seal}\n`}${skips ? skipsChecks : ''}`;
}

const skipsChecks = 'skip-checks: true\n';

/**
 * Whether a branch is at our own claim of it, and nothing has been pushed to it since. An issue may be
 * labelled and `/run` at the same time, so the claim may be that of another request for the same issue.
 */
export async function isOurClaim(starting: Starting, branch: string): Promise<boolean> {
  const { repository, services } = starting.runs;
  const found = await claimOn(repository, branch);
  if (found === undefined) return false;
  const { seals } = services;
  if (seals === undefined) return found.seal === undefined && claimsFor(starting, found);
  const place = { repository_id: repository.id, branch, base: found.base };
  return seals.check(sealed(place, found.text), found.seal).seal === 'sound';
}

/** Without a seal, the text at least has to be about the same thing. */
function claimsFor({ request, inPlace }: Starting, { text }: FoundClaim): boolean {
  const { cause, issue } = request;
  const lines = text.split('\n');
  return lines.includes(
    issue === null || inPlace ? `Coxswain-Cause: ${cause}` : `Coxswain-Issue: ${issue.number}`,
  );
}

interface FoundClaim {
  readonly base: string;
  readonly text: string;
  readonly seal: string | undefined;
}

const sealedMessage = new RegExp(`^([\\s\\S]*\\n)Coxswain-Seal: (.*)(?:\\n${skipsChecks.trimEnd()})?\\n?$`);

/** Longer than any claim: titles are cut, and a cause is short. */
const maxBytes = 16_384;

/** The tip of a branch, read as a claim; undefined if it changes files or has more than one parent. */
export async function claimOn(repository: Repository, branch: string): Promise<FoundClaim | undefined> {
  const { dir, fetchBranches } = await repository.mirror();
  await fetchBranches(branch);
  const rev = `refs/heads/${branch}`;
  const [size = maxBytes + 1] = await sizesOf(dir, [rev]);
  if (size > maxBytes) return undefined;
  const commit = await commitOnOne(dir, rev);
  if (commit === undefined) return undefined;
  const { base, tree, message } = commit;
  const [before] = await readObjects(dir, [base]);
  // A claim changes nothing.
  if (!before?.content.startsWith(`tree ${tree}\n`)) return undefined;
  const [, text = message, seal] = sealedMessage.exec(message) ?? [];
  return { base, text, seal };
}

/** A commit with the one that it is based on; undefined if it has more parents than that, or none. */
export async function commitOnOne(dir: string, rev: string) {
  const [commit] = await readObjects(dir, [rev]);
  const parts = commit && anyCommitFrom(commit.content);
  const [base, ...more] = parts?.parents ?? [];
  return parts === undefined || base === undefined || more.length > 0 ? undefined : { ...parts, base };
}

/** The text holds the cause, the person and the task; a base names its tree. */
function sealed({ repository_id, branch, base }: ClaimPlace, text: string): Sealed {
  return { label: 'claim', parts: [String(repository_id), branch, base, text] };
}

/** What decides whether the commits of a run are signed. */
interface Signing {
  /** The branch that it is to be merged into. */
  readonly base: string;
  readonly settings: Pick<Settings, 'commits'>;
}

/**
 * Claims the branch of a run, with a signature where the configuration or a rule demands one: that of the
 * base is asked for, that of the branch itself refuses the first push. Throws `NotSigned` before any agent
 * works.
 */
export async function claimAsDemanded(repository: Repository, claim: Omit<Claim, 'sign'>, signing: Signing) {
  const isFixed = signing.settings.commits?.sign !== undefined;
  const signs = await signsCommits(repository, signing);
  return claimSigned(repository, claim, signs || (!isFixed && 'if refused'));
}

/** `if refused`: with a signature only where a rule refuses the first push for the lack of one. */
export async function claimSigned(
  repository: Repository,
  claim: Omit<Claim, 'sign'>,
  signs: boolean | 'if refused',
): Promise<{ sha: string; created: boolean; signs: boolean }> {
  const mirror = await repository.mirror();
  const sign = (commit: string) => signedByGitHub(repository, commit);
  try {
    const claimed = await claimBranch(mirror, { ...claim, ...(signs === true && { sign }) });
    // An earlier try may have found out that it has to be signed.
    return { ...claimed, signs: signs === true || (await isSigned(mirror.dir, claimed.sha)) };
  } catch (fault) {
    const isRefused = fault instanceof PushRefused && wantsSignatures(fault.reason);
    if (signs !== 'if refused' || !isRefused) throw fault;
    return claimSigned(repository, claim, true);
  }
}

/** As configured, or because a rule of the base or of a branch that is there demands it. */
export async function signsCommits(
  { octokit, ...where }: Repository,
  { base, settings, branch }: Signing & { readonly branch?: string },
): Promise<boolean> {
  const { sign } = settings.commits ?? {};
  if (sign !== undefined) return sign === 'github';
  if (branch !== undefined && (await demandsSignatures(octokit, where, branch))) return true;
  // Also where we squash, which GitHub signs: people and merge queues may merge in other ways.
  return demandsSignatures(octokit, where, base);
}

/**
 * The same for the branch of a pull request that is adopted. Nothing is pushed to it yet, so GitHub signs a
 * commit that nobody uses: whether it does so has to be known before an agent works. Throws `NotSigned`.
 */
export async function signsAdopted(
  repository: Repository,
  { head_ref: branch, head_sha }: Pick<PullFacts, 'head_ref' | 'head_sha'>,
  { at, ...signing }: Signing & { readonly at: string },
): Promise<boolean> {
  if (!(await signsCommits(repository, { ...signing, branch }))) return false;
  const mirror = await repository.mirror();
  await mirror.fetchBranches(branch);
  const message = 'Ask whether commits are signed\n';
  await signedByGitHub(repository, await emptyCommit(mirror, { base: head_sha, message, at }));
  return true;
}
