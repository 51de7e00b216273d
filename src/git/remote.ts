import { git, type Remote } from './git.ts';
import { inside } from './objects.ts';
import { type PushRefusal, pushRefusalOf } from './push-refusal.ts';

/** Lists the refs of a remote that match, with their values. Patterns are those of `git ls-remote`. */
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

/** The commit of a branch of a remote; undefined if there is none. */
export async function remoteTip(remote: Remote, branch: string): Promise<string | undefined> {
  const ref = `refs/heads/${branch}`;
  return (await listRemote(remote, [ref])).get(ref);
}

/** What the HEAD of a remote names, and its commit; undefined if the repository has none. */
export async function defaultBranchOf(remote: Remote) {
  const listing = await git(['ls-remote', '--symref', remote.url, 'HEAD'], { remote });
  const [, name] = /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(listing) ?? [];
  const [, sha] = /^([0-9a-f]{40,64})\tHEAD$/m.exec(listing) ?? [];
  return name === undefined || sha === undefined ? undefined : { name, sha };
}

/** The compare-and-swap of one ref. Null means that the ref does not exist. */
export interface RefUpdate {
  readonly ref: string;
  /** The value we read; the push fails if the remote has another. */
  readonly from: string | null;
  readonly to: string | null;
}

/** How a push ended. */
export type PushResult =
  /** `changed` is false when the remote was already up to date. */
  { readonly landed: true; readonly changed: boolean } | ({ readonly landed: false } & PushRefusal);

/** Updates refs of the remote atomically, each from the value we read. Throws if Git itself fails. */
export async function pushRefs(
  { dir, remote, env }: { dir: string; remote: Remote; env?: Readonly<Record<string, string>> },
  updates: readonly RefUpdate[],
): Promise<PushResult> {
  const leases = updates.map(({ ref, from }) => `--force-with-lease=${ref}:${from ?? ''}`);
  const refspecs = updates.map(({ ref, to }) => `${to ?? ''}:${ref}`);
  const command = ['push', '--porcelain', '--atomic', '--no-verify', ...leases, remote.url, ...refspecs];
  try {
    const report = await git(command, { ...inside(dir, env), remote });
    return { landed: true, changed: /^[ +*-]\t/m.test(report) };
  } catch (error) {
    const refusal = pushRefusalOf(error);
    if (refusal === undefined) throw error;
    return { landed: false, ...refusal };
  }
}
