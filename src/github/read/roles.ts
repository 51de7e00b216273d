import {
  type Person,
  type Role,
  roles,
  type Account as SteeringAccount,
} from '../../steering/shapes/person.ts';
import type { Account } from '../events/github-event.ts';
import type { Octokit } from '../octokit/connect.ts';
import { GitHubFault, timeIn } from '../octokit/fault.ts';
import { type RepositoryRef, repoParams } from './repository.ts';

export type LiveRole = Awaited<ReturnType<typeof roleOf>>;

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

/** Someone with their current role. Bots are not looked up, because their commands never count. */
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
