import type { Actor } from '../actors.ts';
import type { Context } from '../context.ts';
import type { Account } from '../model.ts';

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

type ErrorType =
  | 'NOT_FOUND'
  | 'FORBIDDEN'
  | 'UNPROCESSABLE'
  | 'MISSING_PAGINATION_BOUNDARIES'
  | 'EXCESSIVE_PAGINATION';

/** One field cannot be resolved, or a mutation is rejected; the rest of the result is not affected. */
export class ResolverError extends Error {
  override name = 'ResolverError';
  readonly type: ErrorType;

  constructor(type: ErrorType, message: string) {
    super(message);
    this.type = type;
  }
}

/** The App lacks the permission. */
export function notAccessible(): ResolverError {
  return new ResolverError('FORBIDDEN', 'Resource not accessible by integration');
}

/** The viewer may not do what the mutation does; people are told what it is called. */
export function notPermitted({ actor }: Viewer, mutation: string): ResolverError {
  if (actor.kind !== 'user') return notAccessible();
  const message = `${actor.account.login} does not have the correct permissions to execute \`${mutation}\``;
  return new ResolverError('FORBIDDEN', message);
}
