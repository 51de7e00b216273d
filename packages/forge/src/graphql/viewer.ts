import type { GraphQLError } from 'graphql';
import type { Actor } from '../actors.ts';
import type { Context } from '../context.ts';
import type { Account, Json, Permissions, Role } from '../model.ts';
import { needs, requireAccess } from '../permissions.ts';
import { HttpError } from '../responses.ts';

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

export type ErrorType =
  | 'NOT_FOUND'
  | 'FORBIDDEN'
  | 'UNPROCESSABLE'
  | 'MISSING_PAGINATION_BOUNDARIES'
  | 'EXCESSIVE_PAGINATION';

/** One field cannot be resolved, or a mutation is rejected; the rest of the result is not affected. */
export class ResolverError extends Error {
  override name = 'ResolverError';
  readonly type: ErrorType;
  readonly extensions: Json | undefined;

  constructor(type: ErrorType, message: string, extensions?: Json) {
    super(message);
    this.type = type;
    this.extensions = extensions;
  }
}

export function nodeNotFound(id: string): ResolverError {
  return new ResolverError('NOT_FOUND', `Could not resolve to a node with the global id of '${id}'`);
}

/** The App lacks the permission. */
export function notAccessible(): ResolverError {
  const message = 'Resource not accessible by integration';
  return new ResolverError('FORBIDDEN', message, { saml_failure: false });
}

/** An error in GitHub's format: `type` only for errors of resolvers, fields in GitHub's order. */
export function errorPayload({ message, path, locations, extensions, originalError }: GraphQLError): Json {
  const type = typeOf(originalError);
  return {
    ...(type ? { type } : {}),
    ...(path ? { path } : {}),
    ...(Object.keys(extensions).length > 0 ? { extensions } : {}),
    ...(locations ? { locations } : {}),
    message,
  };
}

/** Whether a resolver threw this on purpose, so that it is not a bug. */
export function isExpected(error: Error): boolean {
  return typeOf(error) !== undefined;
}

function typeOf(error: Error | undefined): ErrorType | undefined {
  if (error instanceof ResolverError) return error.type;
  return error instanceof HttpError ? 'UNPROCESSABLE' : undefined;
}

/** The input of a mutation: its fields, and an id of the client's that is returned to it. */
export type Input<Fields> = { input: Fields & { clientMutationId?: string | null } };
export type OnPull = Input<{ pullRequestId: string }>;

/** Authors may change their own texts; others need write access. */
export function ownRole({ actor }: Viewer, author_id: number): Role {
  return actor.kind === 'user' && actor.account.id === author_id ? 'read' : 'write';
}

interface Wanted {
  /** The mutation's name, for the message. */
  type: string;
  role: Role;
  permissions?: Permissions;
}

/** Throws GitHub's error if the viewer may not write to pull requests of the repository. */
export function requireWriteAccess(
  viewer: Viewer,
  { repository_id }: { repository_id: number },
  { type, role, permissions = { pull_requests: 'write' } }: Wanted,
): void {
  const { actor, context } = viewer;
  const repository = context.store.repository(repository_id);
  try {
    requireAccess(actor, { repository, needs: needs(role, permissions) });
  } catch (cause) {
    throw Object.assign(forbidden(viewer, type), { cause });
  }
}

function forbidden({ actor }: Viewer, type: string): ResolverError {
  if (actor.kind !== 'user') return notAccessible();
  const message = `${actor.account.login} does not have the correct permissions to execute \`${type}\``;
  return new ResolverError('FORBIDDEN', message);
}
