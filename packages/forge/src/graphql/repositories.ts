import { fullName } from '../context.ts';
import type { Issue, Permissions, Repository } from '../model.ts';
import { htmlLink, nodeId } from '../payloads/links.ts';
import { needs, requireAccess, sees } from '../permissions.ts';
import { isPull } from '../store.ts';
import { notAccessible, ResolverError } from './errors.ts';
import { issueNode, pullNode } from './issues.ts';
import type { Viewer } from './viewer.ts';

/** The permissions that let an App read issues and pull requests. */
export const readIssues: Permissions = { issues: 'read' };
export const readPulls: Permissions = { pull_requests: 'read' };

export function repositoryNamed(viewer: Viewer, owner: string, name: string) {
  const repository = viewer.context.store.repositoryNamed(owner, name);
  if (repository && sees(viewer.actor, repository)) return repositoryNode(viewer, repository);
  const message = `Could not resolve to a Repository with the name '${owner}/${name}'.`;
  throw new ResolverError('NOT_FOUND', message);
}

export function repositoryNode(viewer: Viewer, repository: Repository) {
  return {
    __typename: 'Repository',
    id: nodeId('Repository', repository.id),
    databaseId: repository.id,
    name: repository.name,
    nameWithOwner: fullName(viewer.context, repository),
    isPrivate: repository.private,
    url: htmlLink(viewer.context, repository),
    issue({ number }: { number: number }) {
      const issue = issueIn(viewer, repository, number);
      if (!issue || issue.pull) throw numberNotFound('an Issue', number);
      requireReadAccess(viewer, repository, [readIssues]);
      return issueNode(viewer, issue);
    },
    pullRequest({ number }: { number: number }) {
      const issue = issueIn(viewer, repository, number);
      if (!issue || !isPull(issue)) throw numberNotFound('a PullRequest', number);
      requireReadAccess(viewer, repository, [readPulls]);
      return pullNode(viewer, issue);
    },
  };
}

/** Whether the viewer can see the repository; throws if an App can see it but lacks the permission. */
export function isReadable(viewer: Viewer, repository: Repository, permissions: Permissions[]): boolean {
  if (!sees(viewer.actor, repository)) return false;
  requireReadAccess(viewer, repository, permissions);
  return true;
}

function requireReadAccess({ actor }: Viewer, repository: Repository, permissions: Permissions[]): void {
  try {
    requireAccess(actor, { repository, needs: needs('read', ...permissions) });
  } catch (cause) {
    throw Object.assign(notAccessible(), { cause });
  }
}

function issueIn({ context }: Viewer, repository: Repository, number: number): Issue | undefined {
  return context.store.issue(repository, number);
}

function numberNotFound(what: string, number: number): ResolverError {
  return new ResolverError('NOT_FOUND', `Could not resolve to ${what} with the number of ${number}.`);
}
