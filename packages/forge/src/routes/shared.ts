import type { Actor } from '../actors.ts';
import type { Issue, PullIssue, Repository } from '../model.ts';
import { atLeast, covers, needs, notAccessible, roleOf } from '../permissions.ts';
import { HttpError, notFound } from '../responses.ts';
import { type ApiRequest, type RepositoryRequest, routesOn } from '../router.ts';
import { isPull } from '../store.ts';

/** The issue or pull request `{issue_number}`; for an issue, an App needs `issues: read`. */
export function issueIn({ actor, context, params, repository }: RepositoryRequest): Issue {
  const issue = context.store.issue(repository, numberOf(params['issue_number']));
  if (!issue) throw notFound();
  const reads = context && actor.kind === 'installation' && !issue.pull;
  if (reads && !repositoryIsOpen(actor, repository) && !covers(actor.permissions, { issues: 'read' })) {
    throw notAccessible(needs('read', { issues: 'read' }));
  }
  return issue;
}

/** For writes: an App with only `pull_requests: write` may not change issues. */
export function writableIssueIn(request: RepositoryRequest): Issue {
  const issue = issueIn(request);
  const { actor } = request;
  if (actor.kind === 'installation' && !issue.pull && !covers(actor.permissions, { issues: 'write' })) {
    throw notAccessible(needs('read', { issues: 'write' }));
  }
  return issue;
}

/** Throws where only people with write access may speak; `doing` is as GitHub says it. */
export function requireUnlocked({ actor, repository }: RepositoryRequest, issue: Issue, doing: string): void {
  const mayWrite = actor.kind === 'user' && atLeast(roleOf(actor.account, repository), 'write');
  if (issue.locked !== undefined && !mayWrite)
    throw new HttpError(403, `Unable to ${doing} because issue is locked.`);
}

export function pullIn({ context, params, repository }: RepositoryRequest): PullIssue {
  const issue = context.store.issue(repository, numberOf(params['pull_number']));
  if (!issue || !isPull(issue)) throw notFound();
  return issue;
}

/** Whether the actor may edit other people's texts: people need write access, Apps the route's permission. */
export function mayModerate(actor: Actor, repository: Repository): boolean {
  if (actor.kind === 'installation') return true;
  return actor.kind === 'user' && atLeast(roleOf(actor.account, repository), 'write');
}

/** Authors may always edit their own texts; others need write access. */
export function requireEditAccess(request: RepositoryRequest, author_id: number): void {
  if (request.sender_id === author_id || mayModerate(request.actor, request.repository)) return;
  throw new HttpError(403, 'Must have admin rights to Repository.');
}

/** The thing whose id is this parameter; what belongs to another repository is not there. */
export function thingIn<Thing extends { id: number; repository_id?: number | null }>(
  { params, repository }: Pick<ApiRequest, 'params'> & { repository?: Repository },
  things: readonly Thing[],
  name: string,
): Thing {
  const thing = things.find(({ id }) => id === numberOf(params[name]));
  const isElsewhere =
    repository && thing?.repository_id !== undefined && thing.repository_id !== repository.id;
  if (!thing || isElsewhere) throw notFound();
  return thing;
}

/** Routes of an issue or a pull request, to be read or to be written to, and of a pull request alone. */
export const issueRoute = routesOn(issueIn);
export const writableIssueRoute = routesOn(writableIssueIn);
export const pullRoute = routesOn(pullIn);

function numberOf(text: string | undefined): number {
  const number = Number(text);
  if (!Number.isInteger(number)) throw notFound();
  return number;
}

/** The commit that somebody calls so. */
export async function commitIn({ git }: RepositoryRequest, name: string | undefined): Promise<string> {
  const sha = await git.commit(name ?? '');
  if (!sha) throw new HttpError(422, `No commit found for SHA: ${name}`);
  return sha;
}

function repositoryIsOpen(actor: Actor, repository: Repository): boolean {
  return (
    actor.kind === 'installation' && !repository.private && !actor.repository_ids.includes(repository.id)
  );
}
