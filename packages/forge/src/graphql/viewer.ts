import type { Actor } from '../actors.ts';
import type { Context } from '../context.ts';
import type { Account } from '../model.ts';
import { notAccessible } from './errors.ts';

/** The actor whose permissions apply to a query. */
export interface Viewer {
  context: Context;
  actor: Actor;
}

/** The viewer's account; an App that authenticates with a JSON Web Token has none. */
export function accountOf({ actor }: Viewer): Account {
  if (actor.kind === 'user' || actor.kind === 'installation') return actor.account;
  throw notAccessible();
}
