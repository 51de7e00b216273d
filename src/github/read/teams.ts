import type { Octokit } from '../octokit/connect.ts';
import { GitHubFault, isFinalRefusal, MissingPermission } from '../octokit/fault.ts';

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
