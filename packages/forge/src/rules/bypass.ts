import type { Context } from '../context.ts';
import type { BypassActor, Repository, Role, Ruleset } from '../model.ts';
import { atLeast, roleOf } from '../permissions.ts';

interface Attempt {
  ruleset: Ruleset;
  account_id: number;
  way: 'push' | 'pull_request';
}

/** Whether the account is on the ruleset's bypass list for this. */
export function bypasses(
  context: Context,
  repository: Repository,
  { ruleset, account_id, way }: Attempt,
): boolean {
  return ruleset.bypass_actors.some(
    (actor) =>
      (actor.bypass_mode !== 'pull_request' || way === 'pull_request') &&
      isActor(context, repository, { actor, account_id }),
  );
}

/** As GitHub tells it to a caller: may they bypass this ruleset, always or only in pull requests? */
export function bypassOf(
  context: Context,
  repository: Repository,
  { ruleset, account_id }: Omit<Attempt, 'way'>,
): 'always' | 'pull_requests_only' | 'never' {
  const modes = ruleset.bypass_actors
    .filter((actor) => isActor(context, repository, { actor, account_id }))
    .map(({ bypass_mode }) => bypass_mode);
  if (modes.includes('always')) return 'always';
  return modes.includes('pull_request') ? 'pull_requests_only' : 'never';
}

/** GitHub's ids of the roles that can bypass. */
const roles: Readonly<Record<number, Role>> = { 2: 'maintain', 4: 'write', 5: 'admin' };

function isActor(
  { store }: Context,
  repository: Repository,
  { actor: { actor_type, actor_id }, account_id }: { actor: BypassActor; account_id: number },
): boolean {
  if (actor_id === null) return false;
  switch (actor_type) {
    case 'Integration':
      return store.app(actor_id).bot_id === account_id;
    case 'User':
      return actor_id === account_id;
    case 'RepositoryRole': {
      const needed = roles[actor_id];
      return needed !== undefined && atLeast(roleOf(store.account(account_id), repository), needed);
    }
    case 'DeployKey':
      return false;
  }
}
