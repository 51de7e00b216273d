import { type Person, type Role, roles } from '../../steering/person.ts';
import type { Octokit } from '../octokit/connect.ts';
import { GitHubFault } from '../octokit/fault.ts';
import { type RepositoryRef, repoParams } from './repository.ts';

export interface LiveRole {
  readonly role: Role;
  /** GitHub's time of its answer, ISO 8601. */
  readonly asked_at: string;
}

/**
 * The role someone has now. `role_name` tells maintain and triage apart; an organisation's own roles have
 * names we cannot know, and count as the permission they are made from.
 * Throws `GitHubFault` when it cannot be learned, which is neither a yes nor a no.
 */
export async function roleOf(octokit: Octokit, where: RepositoryRef, login: string): Promise<LiveRole> {
  try {
    const { data, headers } = await octokit.rest.repos.getCollaboratorPermissionLevel({
      ...repoParams(where),
      username: login,
    });
    return {
      role: known(data.role_name) ?? known(data.permission) ?? 'none',
      asked_at: timeOf(headers.date),
    };
  } catch (fault) {
    if (!(fault instanceof GitHubFault) || fault.status !== 404) throw fault;
    return { role: 'none', asked_at: timeOf(fault.date) };
  }
}

/** Someone with the role of now. Bots are not looked up: nothing they say counts. */
export async function personOf(
  octokit: Octokit,
  where: RepositoryRef,
  { login, bot }: Speaker,
): Promise<Person & { readonly asked_at: string | null }> {
  if (bot) return { login, bot, role: 'none', asked_at: null };
  return { login, bot, ...(await roleOf(octokit, where, login)) };
}

export interface Speaker {
  readonly login: string;
  readonly bot: boolean;
}

function known(name: string): Role | undefined {
  return roles.find((role) => role === name);
}

function timeOf(date: string | undefined): string {
  if (date === undefined) throw new Error('GitHub answered without a Date header, so its time is not known');
  return new Date(date).toISOString();
}
