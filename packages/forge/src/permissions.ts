import type { Actor, InstallationActor, UserActor } from './actors.ts';
import type { Account, Level, Permissions, Repository, Role } from './model.ts';
import { HttpError, notFound } from './responses.ts';

/** What a route requires of people (a role) and of Apps (one of several sets of permissions). */
export interface Needs {
  role: Role;
  permissions: Permissions[];
}

const roles: readonly Role[] = ['read', 'triage', 'write', 'maintain', 'admin'];
const levels: readonly Level[] = ['read', 'write', 'admin'];

export function needs(role: Role, ...permissions: Permissions[]): Needs {
  return { role, permissions };
}

/** Throws GitHub's error if the actor lacks access: 404, 401 or 403. */
export function requireAccess(actor: Actor, wanted: { repository: Repository; needs: Needs }): void {
  const { repository, needs } = wanted;
  if (!sees(actor, repository)) throw notFound();
  switch (actor.kind) {
    case 'anonymous':
      if (writes(needs) || needs.role !== 'read') throw new HttpError(401, 'Requires authentication');
      return;
    case 'user':
      if (!atLeast(roleOf(actor.account, repository), needs.role)) {
        throw new HttpError(403, 'Must have admin rights to Repository.');
      }
      if (!appMay(actor, repository, needs)) throw notAccessible(needs);
      return;
    case 'installation':
      if (!installationMay(actor, repository, needs)) throw notAccessible(needs);
      return;
    case 'app':
      throw new HttpError(401, 'A JSON web token could not be decoded');
  }
}

/** The person's role; undefined if they have none. Everyone can read a public repository. */
export function roleOf(account: Account, repository: Repository): Role | undefined {
  return ownRole(account, repository) ?? (repository.private ? undefined : 'read');
}

/** The role that the person owns or was given, without what everyone may do. */
export function ownRole({ id }: Account, repository: Repository): Role | undefined {
  return id === repository.owner_id ? 'admin' : repository.collaborators[String(id)];
}

/** A role as in the payload of a repository that somebody asks for. */
export function permissionFlags(role: Role | undefined) {
  const rank = role === undefined ? -1 : roles.indexOf(role);
  return { admin: rank >= 4, maintain: rank >= 3, push: rank >= 2, triage: rank >= 1, pull: rank >= 0 };
}

export function atLeast(held: Role | undefined, needed: Role): boolean {
  return held !== undefined && roles.indexOf(held) >= roles.indexOf(needed);
}

/** Whether the actor can see that the repository exists. */
export function sees(actor: Actor, repository: Repository): boolean {
  if (!repository.private) return true;
  if (actor.kind === 'user') {
    const installed = actor.via === null || installationIn(actor.via, repository) !== undefined;
    return installed && roleOf(actor.account, repository) !== undefined;
  }
  return actor.kind === 'installation' && actor.repository_ids.includes(repository.id);
}

/** Whether the actor may push: people with the write role, Apps with `contents: write`. */
export function mayPush(actor: Actor, repository: Repository): boolean {
  const wanted = needs('write', { contents: 'write' });
  if (actor.kind === 'user') {
    return atLeast(roleOf(actor.account, repository), 'write') && appMay(actor, repository, wanted);
  }
  return actor.kind === 'installation' && installationMay(actor, repository, wanted);
}

/** Every installation has `metadata: read`. */
export function covers(held: Permissions, wanted: Permissions): boolean {
  return Object.entries(wanted).every(([name, level]) => {
    const granted = name === 'metadata' ? 'read' : held[name];
    return granted !== undefined && levels.indexOf(granted) >= levels.indexOf(level);
  });
}

export function notAccessible(wanted: Needs): HttpError {
  const accepted = wanted.permissions.map((set) =>
    Object.entries(set)
      .map(([name, level]) => `${name}=${level}`)
      .join(','),
  );
  return new HttpError(403, 'Resource not accessible by integration', {
    headers: { 'x-accepted-github-permissions': accepted.join('; ') },
  });
}

/** A person who acts through an App may do only what both of them may. */
function appMay({ via }: UserActor, repository: Repository, wanted: Needs): boolean {
  if (via === null) return true;
  const installation = installationIn(via, repository);
  return holds(installation?.permissions, repository, wanted);
}

function installationIn({ installations }: NonNullable<UserActor['via']>, { id }: Repository) {
  return installations.find(({ repository_ids }) => repository_ids.includes(id));
}

function installationMay(actor: InstallationActor, repository: Repository, wanted: Needs): boolean {
  const covered = actor.repository_ids.includes(repository.id);
  return holds(covered ? actor.permissions : undefined, repository, wanted);
}

/** Without an installation in it, an App may still read a public repository. */
function holds(held: Permissions | undefined, repository: Repository, wanted: Needs): boolean {
  if (held === undefined) return !repository.private && !writes(wanted);
  return wanted.permissions.length === 0 || wanted.permissions.some((set) => covers(held, set));
}

function writes(wanted: Needs): boolean {
  return wanted.permissions.some((set) => Object.values(set).some((level) => level !== 'read'));
}
