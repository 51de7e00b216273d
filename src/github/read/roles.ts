import { type Person, type Role, roles, type Account as SteeringAccount } from '../../steering/person.ts';
import type { Account } from '../events/github-event.ts';
import type { Octokit } from '../octokit/connect.ts';
import { GitHubFault, timeIn } from '../octokit/fault.ts';
import { type RepositoryRef, repoParams } from './repository.ts';

export interface LiveRole {
  readonly role: Role;
  /** Whether the login now belongs to somebody else, who has another id. */
  readonly is_other: boolean;
  /** The time of GitHub's answer, ISO 8601; null if the answer does not say. */
  readonly asked_at: string | null;
}

/**
 * Someone's current role; none if their login now belongs to someone else. `role_name` distinguishes maintain
 * and triage; custom roles of an organization count as the permission they are based on.
 * Throws `GitHubFault` when the role is unknown, which is not treated as permission or refusal.
 */
export async function roleOf(
  octokit: Octokit,
  where: RepositoryRef,
  { login, id }: SteeringAccount,
): Promise<LiveRole> {
  try {
    const { data, headers } = await octokit.rest.repos.getCollaboratorPermissionLevel({
      ...repoParams(where),
      username: login,
    });
    const answered = data.user?.id ?? id;
    const is_other = id !== 0 && answered !== id;
    const role = known(data.role_name) ?? known(data.permission) ?? 'none';
    return { role: is_other ? 'none' : role, is_other, asked_at: timeIn(headers.date) ?? null };
  } catch (fault) {
    if (!(fault instanceof GitHubFault) || fault.status !== 404) throw fault;
    return { role: 'none', is_other: false, asked_at: timeIn(fault.date) ?? null };
  }
}

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
