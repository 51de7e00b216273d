import { timestamp } from '../context.ts';
import type { Reaction } from '../model.ts';
import { page } from '../pagination.ts';
import { reactionContents, reactionPayload } from '../payloads/reactions.ts';
import { needs } from '../permissions.ts';
import { type ApiResponse, noContent, notFound, ok } from '../responses.ts';
import { type RepositoryRequest, type Route, repositoryRoute } from '../router.ts';
import { commentIn } from './comments.ts';
import { authorIn, issueIn, numberOf, requireEditAccess } from './shared.ts';

/** An issue, a pull request or a comment. */
type Target = { reactions: Reaction[] };
type TargetIn = (request: RepositoryRequest) => Target;

export const reactionRoutes: Route[] = [
  ...reactionsOf('/issues/{issue_number}', issueIn),
  ...reactionsOf('/issues/comments/{comment_id}', commentIn),
];

function reactionsOf(path: string, targetIn: TargetIn): Route[] {
  const read = needs('read', { issues: 'read' }, { pull_requests: 'read' });
  const write = needs('read', { issues: 'write' }, { pull_requests: 'write' });
  return [
    repositoryRoute(`GET ${path}/reactions`, read, (request) => list(request, targetIn(request))),
    repositoryRoute(`POST ${path}/reactions`, write, (request) => react(request, targetIn(request))),
    repositoryRoute(`DELETE ${path}/reactions/{reaction_id}`, write, (request) =>
      remove(request, targetIn(request)),
    ),
  ];
}

function list(request: RepositoryRequest, target: Target): Promise<ApiResponse> {
  const content = request.query.get('content');
  const reactions = target.reactions.filter((one) => content === null || one.content === content);
  return page(request, reactions, (reaction) => reactionPayload(request.context, reaction));
}

/** 201 for a new reaction, 200 if the account has already added it. */
function react(request: RepositoryRequest, target: Target): ApiResponse {
  const { context, input } = request;
  input.requiredText('content');
  const content = input.oneOf('content', reactionContents) ?? '+1';
  const { user_id } = authorIn(request);
  const given = target.reactions.find((one) => one.user_id === user_id && one.content === content);
  if (given) return ok(reactionPayload(context, given));
  const reaction = { id: context.store.id(), user_id, content, created_at: timestamp(context) };
  target.reactions.push(reaction);
  return { status: 201, body: reactionPayload(context, reaction) };
}

function remove(request: RepositoryRequest, target: Target): ApiResponse {
  const id = numberOf(request.params['reaction_id']);
  const reaction = target.reactions.find((one) => one.id === id);
  if (!reaction) throw notFound();
  requireEditAccess(request, reaction.user_id);
  target.reactions.splice(target.reactions.indexOf(reaction), 1);
  return noContent();
}
