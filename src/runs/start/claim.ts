import type { Mirror } from '../../git/mirror.ts';
import { anyCommitFrom, readObjects, sizesOf } from '../../git/objects.ts';

import type { Sealed, Seals } from '../../seal/seals.ts';
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
  { request, repository, liveRuns, inPlace }: Starting,
  task: Task,
  place: Omit<ClaimPlace, 'repository_id'>,
): string {
  const skips = inPlace?.skips_ci ?? false;
  // GitHub wants two empty lines before the trailers that end with its own.
  const text = claimText(task, request).replace('\n\n', skips ? '\n\n\n' : '\n\n');
  const { seals } = liveRuns.services;
  const seal = seals?.seal(sealed({ ...place, repository_id: repository.id }, text));
  return `${text}${seal === undefined ? '' : `Coxswain-Seal: ${seal}\n`}${skips ? skipsChecks : ''}`;
}

const skipsChecks = 'skip-checks: true\n';

/**
 * Whether a branch is at our own claim of it, and nothing has been pushed to it since. An issue may be
 * labelled and `/run` at the same time, so the claim may be that of another request for the same issue.
 */
export async function isOurClaim(starting: Starting, branch: string): Promise<boolean> {
  const { repository, liveRuns } = starting;
  const mirror = await repository.mirror();
  await mirror.fetch([`+refs/heads/${branch}:refs/heads/${branch}`]);
  const found = await claimAt(mirror, `refs/heads/${branch}`);
  if (found === undefined) return false;
  const { seals } = liveRuns.services;
  if (seals === undefined) return found.seal === undefined && claimsFor(starting, found);
  return isSealed(found, { repository_id: repository.id, branch, base: found.base }, seals);
}

/** Without a seal, the text at least has to be about the same thing. */
function claimsFor({ request, inPlace }: Starting, { text }: FoundClaim): boolean {
  const { cause, issue } = request;
  const lines = text.split('\n');
  return lines.includes(
    issue === null || inPlace ? `Coxswain-Cause: ${cause}` : `Coxswain-Issue: ${issue.number}`,
  );
}

export interface FoundClaim {
  readonly base: string;
  readonly text: string;
  readonly seal: string | undefined;
}

const sealedMessage = new RegExp(`^([\\s\\S]*\\n)Coxswain-Seal: (.*)(?:\\n${skipsChecks.trimEnd()})?\\n?$`);

/** Longer than any claim: titles are cut, and a cause is short. */
const maxBytes = 16_384;

/** A commit, read as a claim; undefined if it changes files or has more than one parent. */
export async function claimAt({ dir }: Mirror, rev: string): Promise<FoundClaim | undefined> {
  const [size = maxBytes + 1] = await sizesOf(dir, [rev]);
  if (size > maxBytes) return undefined;
  const [commit] = await readObjects(dir, [rev]);
  const parts = commit && anyCommitFrom(commit.content);
  const [base, ...more] = parts?.parents ?? [];
  if (parts === undefined || base === undefined || more.length > 0) return undefined;
  const [before] = await readObjects(dir, [base]);
  // A claim changes nothing.
  if (!before?.content.startsWith(`tree ${parts.tree}\n`)) return undefined;
  const [, text = parts.message, seal] = sealedMessage.exec(parts.message) ?? [];
  return { base, text, seal };
}

/** Whether we sealed this claim for this branch. */
export function isSealed({ text, seal }: FoundClaim, place: ClaimPlace, seals: Seals): boolean {
  return seals.check(sealed(place, text), seal).seal === 'sound';
}

/** The text holds the cause, the person and the task; a base names its tree. */
function sealed({ repository_id, branch, base }: ClaimPlace, text: string): Sealed {
  return { label: 'claim', parts: [String(repository_id), branch, base, text] };
}
