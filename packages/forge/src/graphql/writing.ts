import type { Permissions, Role } from '../model.ts';
import { needs, requireAccess } from '../permissions.ts';
import { notAccessible, ResolverError } from './errors.ts';
import type { Viewer } from './viewer.ts';

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
