import { type GitOptions, git, type Remote } from './git.ts';
import { inside } from './objects.ts';
import { type PushRefusal, pushRefusalOf } from './push-refusal.ts';

/** The refs of a remote that match, with what they point at. Patterns are as of `git ls-remote`. */
export async function listRemote(
  remote: Remote,
  patterns: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const listing = await git(['ls-remote', '--refs', remote.url, ...patterns], { remote });
  const lines = listing.split('\n').filter((line) => line !== '');
  return new Map(
    lines.map((line) => [line.slice(line.indexOf('\t') + 1), line.slice(0, line.indexOf('\t'))]),
  );
}

/** One ref's compare-and-swap. Null stands for "is not there". */
export interface RefUpdate {
  readonly ref: string;
  /** The value we read; refused when the remote has another. */
  readonly from: string | null;
  readonly to: string | null;
}

/** How a push ended. */
export type Pushed =
  /** `changed` is false when the remote had all of it already. */
  { readonly landed: true; readonly changed: boolean } | ({ readonly landed: false } & PushRefusal);

/** Moves refs of the remote, all or none, each from the value we read. Throws if Git itself failed. */
export async function pushRefs(
  { dir, remote, ...rest }: { dir: string; remote: Remote } & Pick<GitOptions, 'env' | 'timeoutMs'>,
  updates: readonly RefUpdate[],
): Promise<Pushed> {
  const leases = updates.map(({ ref, from }) => `--force-with-lease=${ref}:${from ?? ''}`);
  const refspecs = updates.map(({ ref, to }) => `${to ?? ''}:${ref}`);
  const command = ['push', '--porcelain', '--atomic', '--no-verify', ...leases, remote.url, ...refspecs];
  const here = inside(dir);
  try {
    const report = await git(command, { ...here, ...rest, env: { ...here.env, ...rest.env }, remote });
    return { landed: true, changed: /^[ +*-]\t/m.test(report) };
  } catch (error) {
    const refusal = pushRefusalOf(error);
    if (refusal === undefined) throw error;
    return { landed: false, ...refusal };
  }
}

/** Deletes a branch of the remote, unless it moved from `sha`. */
export function deleteBranch(
  { dir, remote }: { dir: string; remote: Remote },
  { branch, sha }: { branch: string; sha: string },
): Promise<Pushed> {
  return pushRefs({ dir, remote }, [{ ref: `refs/heads/${branch}`, from: sha, to: null }]);
}
