import { LRUCache } from 'lru-cache';
import type { TeamAsked } from '../doors/lists/run-index.ts';
import { membershipsOf } from '../github/read/roles.ts';
import type { Memberships } from '../page/inbox/load-inbox.ts';
import type { Account } from '../steering/shapes/people.ts';
import type { Installations } from './installations.ts';

/** How long GitHub's answer counts for a list, in milliseconds; whoever decides is asked about anew. */
const ttl = 5 * 60_000;

/** So many teams are asked about for one person; of others it is not known whether they are in them. */
const maxTeams = 50;

/** Asks as the App in which teams people are, for they need not be allowed to see that. */
export function membershipsWith(installations: Installations) {
  const known = new LRUCache<string, boolean, () => Promise<boolean | undefined>>({
    ...{ max: 20_000, ttl },
    fetchMethod: (_key, _stale, { context: ask }) => ask(),
  });
  return async ({ login }: Account, asked: readonly TeamAsked[]): Promise<Memberships> => {
    const teams = [...new Map(asked.map((each) => [each.team.toLowerCase(), each])).values()];
    const answers = await Promise.all(
      teams.map(async ({ team, repository_id }, nth) => {
        const home = installations.homeOf(repository_id);
        if (home === undefined || nth >= maxTeams) return { team, is: undefined };
        const client = installations.client(home.installation);
        const ask = async () => {
          const { teams, unread_teams } = await membershipsOf(client, login, [team]);
          return unread_teams.length > 0 ? undefined : teams.length > 0;
        };
        // A list without an answer is better than none.
        const is = await known
          .fetch(`${login} ${team}`.toLowerCase(), { context: ask })
          .catch(() => undefined);
        return { team, is };
      }),
    );
    const those = (wanted: boolean | undefined) =>
      answers.filter(({ is }) => is === wanted).map(({ team }) => team);
    return { teams: those(true), unread_teams: those(undefined) };
  };
}
