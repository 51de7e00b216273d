import {
  type Person,
  type Role,
  roles,
  type Account as SteeringAccount,
} from '../../steering/shapes/people.ts';
import type { Account } from '../events/github-event.ts';
import type { Octokit } from '../octokit/connect.ts';
import { GitHubFault, isFinalRefusal, MissingPermission, timeIn } from '../octokit/fault.ts';
import { type RepositoryRef, repoParams } from './repository-ref.ts';

/**
 * Someone's current role; none if their login now belongs to someone else (`is_other`), who has another id.
 * `asked_at` is the time of GitHub's answer, ISO 8601, if it says one. `role_name` distinguishes maintain
 * and triage; custom roles of an organization count as the permission they are based on.
 * Throws `GitHubFault` when the role is unknown, which is not treated as permission or refusal.
 */
export async function roleOf(octokit: Octokit, where: RepositoryRef, { login, id }: SteeringAccount) {
  const asked = { ...repoParams(where), username: login };
  try {
    const { data, headers } = await octokit.rest.repos.getCollaboratorPermissionLevel(asked);
    const is_other = id !== 0 && (data.user?.id ?? id) !== id;
    const role = is_other ? undefined : (known(data.role_name) ?? known(data.permission));
    return { role: role ?? none, is_other, asked_at: timeIn(headers.date) ?? null };
  } catch (fault) {
    if (!(fault instanceof GitHubFault) || fault.status !== 404) throw fault;
    return { role: none, is_other: false, asked_at: timeIn(fault.date) ?? null };
  }
}

const none: Role = 'none';

/** Looks up the current role of somebody. Bots are not looked up, because their commands never count. */
export async function personOf(
  octokit: Octokit,
  where: RepositoryRef,
  { login, id, bot }: Account,
): Promise<Person & { readonly asked_at: string | null }> {
  if (bot) return { login, id, bot, role: 'none', asked_at: null };
  const { role, asked_at } = await roleOf(octokit, where, { login, id });
  return { login, id, bot, role, asked_at };
}

function known(name: string): Role | undefined {
  return roles.find((role) => role === name);
}

/** The role of whoever asks for a repository, which GitHub tells with it. */
export function ownRole(permissions: Readonly<Partial<Record<Flag, boolean>>>): Role {
  return strongestFirst.find(([flag]) => permissions[flag])?.[1] ?? 'none';
}

type Flag = (typeof strongestFirst)[number][0];

const strongestFirst = [
  ['admin', 'admin'],
  ['maintain', 'maintain'],
  ['push', 'write'],
  ['triage', 'triage'],
  ['pull', 'read'],
] as const;

/**
 * In which of some teams (`acme/core`) somebody is now, and which of them GitHub does not name to us. Members
 * of a child team are members of its parents, as GitHub counts. Throws `GitHubFault` when GitHub does not
 * answer, which makes nobody a member, or not one.
 */
export async function membershipsOf(octokit: Octokit, login: string, teams: readonly string[]) {
  const asked = await Promise.all(
    teams.map(async (team) => ({ team, is: await membershipOf(octokit, login, team) })),
  );
  const those = (which: Membership) => asked.filter(({ is }) => is === which).map(({ team }) => team);
  return { teams: those('member'), unread_teams: those('unread') };
}

type Membership = 'member' | 'other' | 'unread';

async function membershipOf(octokit: Octokit, login: string, team: string): Promise<Membership> {
  try {
    const { data } = await octokit.rest.teams.getMembershipForUserInOrg({
      ...paramsOf(team),
      username: login,
    });
    // An invitation that was not accepted yet is `pending`.
    return data.state === 'active' ? 'member' : 'other';
  } catch (fault) {
    if (isForbidden(fault)) return 'unread';
    if (!(fault instanceof GitHubFault) || fault.status !== 404) throw fault;
    // Nobody is a member of a team that does not exist, and GitHub answers alike.
    return (await readTeam(octokit, team)) === 'found' ? 'other' : 'unread';
  }
}

/** What GitHub says of a team: a `hidden` one, be it there or not, takes the permission `members: read`. */
export async function readTeam(octokit: Octokit, team: string) {
  try {
    await octokit.rest.teams.getByName(paramsOf(team));
    return 'found';
  } catch (fault) {
    if (isForbidden(fault)) return 'hidden';
    if (fault instanceof GitHubFault && fault.status === 404) return 'missing';
    throw fault;
  }
}

/** Also by what an organization demands of everybody, such as an address it allows: nobody would be told. */
function isForbidden(fault: unknown): boolean {
  return fault instanceof MissingPermission || (isFinalRefusal(fault) && fault.status === 403);
}

function paramsOf(team: string): { org: string; team_slug: string } {
  const [org = '', team_slug = ''] = team.split('/');
  return { org, team_slug };
}
