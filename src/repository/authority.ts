import { codeOwnersPaths, maxCodeOwnersBytes, readCodeOwners } from '../gates/code-owners.ts';
import { branchPaths } from '../git/changed-paths.ts';
import type { Mirror } from '../git/mirror.ts';
import { sizesOf } from '../git/objects.ts';
import { readTeam } from '../github/read/roles.ts';
import { asksOwners, dependsOnFiles, ownersNamed } from '../steering/approval/approval-needs.ts';
import type { Authority, Owned, Protected } from '../steering/shapes/approval-authority.ts';
import type { ApprovalSettings, ProtectedPaths } from '../steering/shapes/settings.ts';
import { pathGlobFrom } from '../text/globs.ts';
import type { Presenting } from './configuration.ts';
import type { Repository } from './repository.ts';

/** A commit that is to be merged into a branch, both in the mirror. */
interface Change {
  /** The name of the branch. */
  readonly base: string;
  readonly head: string;
  readonly approval: Pick<ApprovalSettings, 'by' | 'protected_paths'>;
}

/**
 * Who has a say about the files that a commit changes, by the configuration and by CODEOWNERS on the base
 * as it is in the mirror; undefined if the configuration does not ask for it.
 */
export async function authorityOf(
  repository: Pick<Repository, 'mirror' | 'octokit'>,
  { base, head, approval }: Change,
  { presenter }: Presenting,
): Promise<Authority | undefined> {
  if (!dependsOnFiles(approval)) return undefined;
  const mirror = await repository.mirror();
  const { covered, owned, problems } = await mirror.reading(async () => {
    const tip = await mirror.resolve(`refs/heads/${base}`);
    if (tip === undefined) throw new Error(`could not find the base branch ${base} in ${mirror.dir}`);
    const paths = await branchPaths(mirror.dir, { base: tip, head });
    const covered = protectedAmong(paths, approval.protected_paths ?? []);
    if (!asksOwners(approval.by)) return { covered, owned: [], problems: [] };
    return { covered, ...(await ownedAmong(mirror, tip, paths, base)) };
  });
  const unread = await unreadTeams(owned, repository.octokit, presenter);
  const all = [...problems, ...unread];
  return { owned, protected: covered, ...(all.length > 0 && { problems: all }) };
}

const maxFiles = 20;

function protectedAmong(paths: readonly string[], entries: readonly ProtectedPaths[]): readonly Protected[] {
  return entries.flatMap(({ paths: globs, by }) => {
    const all = globs.map(pathGlobFrom);
    const files = paths.filter((path) => all.some((glob) => glob.matches(path)));
    const count = files.length;
    return count === 0 ? [] : [{ paths: globs, by, files: files.slice(0, maxFiles), count }];
  });
}

/** `tip` is the newest commit of `base`. */
async function ownedAmong(mirror: Mirror, tip: string, paths: readonly string[], base: string) {
  const names = codeOwnersPaths.map((path) => `${tip}:${path}`);
  const sizes = await sizesOf(mirror.dir, names);
  const first = sizes.findIndex((size) => size !== undefined);
  const path = codeOwnersPaths[first];
  if (path === undefined) return nobodyOwns(paths, `there is no file CODEOWNERS on ${base}`);
  if ((sizes[first] ?? 0) > maxCodeOwnersBytes)
    return nobodyOwns(paths, `${path} on ${base} is larger than 3 MB, so GitHub does not read it`);
  const text = await mirror.readFile(tip, path);
  if (text === undefined) return nobodyOwns(paths, `${path} on ${base} is not a file`);
  const { ownersOf, problems } = readCodeOwners(text);
  return { owned: grouped(paths, ownersOf), problems };
}

function nobodyOwns(paths: readonly string[], problem: string) {
  return { owned: grouped(paths, () => []), problems: [`${problem}: its files have no owners`] };
}

/** Files with the same owners, in whatever order, together. */
function grouped(paths: readonly string[], ownersOf: (path: string) => readonly string[]): readonly Owned[] {
  const groups = new Map<string, { readonly owners: readonly string[]; readonly files: string[] }>();
  for (const path of paths) {
    const owners = ownersOf(path);
    const key = JSON.stringify([...new Set(owners.map((owner) => owner.toLowerCase()))].sort());
    const group = groups.get(key) ?? { owners, files: [] };
    group.files.push(path);
    groups.set(key, group);
  }
  // A ledger cannot hold a list of any length.
  const most = groups.size > 100 ? 1 : maxFiles;
  return [...groups.values()].map(({ owners, files }) => {
    return { owners, files: files.slice(0, most), count: files.length };
  });
}

const maxTeams = 50;

/** Owners that are teams of which GitHub tells us nothing, so that nobody counts as a member. */
async function unreadTeams(
  owned: readonly Owned[],
  octokit: Repository['octokit'],
  presenter: Presenting['presenter'],
): Promise<readonly string[]> {
  const named = owned.flatMap(({ owners }) => ownersNamed(owners));
  const teams = [...new Set(named.flatMap((owner) => ('team' in owner ? [owner.team] : [])))];
  if (teams.length === 0) return [];
  if (presenter === 'action')
    return [
      `the Action alone cannot read teams, so only the users among the owners count: not @${teams.join(', @')}`,
    ];
  const readings = await Promise.all(
    teams.slice(0, maxTeams).map(async (team) => ({ team, is: await readTeam(octokit, team) })),
  );
  return readings.flatMap(({ team, is }) => {
    if (is === 'found') return [];
    const why = is === 'missing' ? 'GitHub knows no such team' : 'the App lacks the permission members: read';
    return [`@${team} owns changed files, but ${why}`];
  });
}
