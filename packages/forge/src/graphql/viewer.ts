import type { Actor } from '../actors.ts';
import type { Context } from '../context.ts';
import type { Account } from '../model.ts';
import { notAccessible } from './errors.ts';

/** Through whose eyes a query is answered. */
export interface Viewer {
  context: Context;
  actor: Actor;
}

/** The account that asks. An App that comes with its own key, not as an installation, has none. */
export function accountOf({ actor }: Viewer): Account {
  if (actor.kind === 'user' || actor.kind === 'installation') return actor.account;
  throw notAccessible();
}
