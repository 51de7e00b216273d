import { timestamp } from '../context.ts';
import type { Comment } from '../model.ts';
import { recordIssueEvent } from '../operations/issue-events.ts';
import { addComment, emitCommentEvent, requireMaxLength, rewrite } from '../operations/issues.ts';
import { formatsOf } from '../payloads/formats.ts';
import { commentPayload, commentsOf, reactionContents, reactionPayload } from '../payloads/issues.ts';
import { needs } from '../permissions.ts';
import { type ApiResponse, created, noContent, ok, validationFailed } from '../responses.ts';
import { page, type RepositoryRequest, type Route, repositoryRoute } from '../router.ts';
import { sorted } from './issues.ts';
import { authorIn, issueIn, requireEditAccess, requireUnlocked, thingIn, writableIssueIn } from './shared.ts';

const read = needs('read', { issues: 'read' }, { pull_requests: 'read' });
const write = needs('read', { issues: 'write' }, { pull_requests: 'write' });

export const commentRoutes: Route[] = [
  repositoryRoute('GET /issues/{issue_number}/comments', read, listOfIssue),
  repositoryRoute('POST /issues/{issue_number}/comments', write, create),
  repositoryRoute('GET /issues/comments', read, listOfRepository),
  repositoryRoute('GET /issues/comments/{comment_id}', read, (request) =>
    ok(commentPayload(request.context, commentIn(request))),
  ),
  repositoryRoute('PATCH /issues/comments/{comment_id}', write, edit),
  repositoryRoute('DELETE /issues/comments/{comment_id}', write, remove),
  repositoryRoute('GET /issues/comments/{comment_id}/reactions', read, (request) => {
    const { reactions } = commentIn(request);
    return page(request, reactions, (reaction) => reactionPayload(request.context, reaction));
  }),
  repositoryRoute('POST /issues/comments/{comment_id}/reactions', write, react),
];

function commentIn(request: RepositoryRequest): Comment {
  return thingIn(request, request.context.store.data.comments, 'comment_id');
}

function listOfIssue(request: RepositoryRequest): Promise<ApiResponse> {
  const comments = since(request, commentsOf(request.context, issueIn(request)));
  return page(request, comments, (comment) => ({
    ...commentPayload(request.context, comment),
    ...formatsOf(request.context, request.accept, comment.body),
  }));
}

function listOfRepository(request: RepositoryRequest): Promise<ApiResponse> {
  const { context, repository, query } = request;
  const comments = context.store.data.comments.filter((comment) => comment.repository_id === repository.id);
  return page(request, sorted(since(request, comments), query, 'asc'), (comment) =>
    commentPayload(context, comment),
  );
}

/** The comments that were updated at or after `since`. */
function since({ query }: RepositoryRequest, comments: Comment[]): Comment[] {
  const from = query.get('since');
  return from === null ? comments : comments.filter((one) => Date.parse(one.updated_at) >= Date.parse(from));
}

function create(request: RepositoryRequest): ApiResponse {
  const { context } = request;
  const author = authorIn(request);
  const issue = writableIssueIn(request);
  requireUnlocked(request, issue, 'create comment');
  const comment = addComment(context, issue, { body: bodyIn(request), author });
  emitCommentEvent(context, comment, { action: 'created', sender_id: author.user_id });
  return created(commentPayload(context, comment));
}

function edit(request: RepositoryRequest): ApiResponse {
  const { context } = request;
  const comment = commentIn(request);
  requireEditAccess(request, comment.user_id);
  const body = bodyIn(request);
  requireMaxLength(body);
  const changes = { body: { from: comment.body } };
  rewrite(context, comment, { body, author_id: comment.user_id, editor_id: authorIn(request).user_id });
  comment.updated_at = timestamp(context);
  emitCommentEvent(context, comment, {
    action: 'edited',
    sender_id: authorIn(request).user_id,
    more: { changes },
  });
  return ok(commentPayload(context, comment));
}

function remove(request: RepositoryRequest): ApiResponse {
  const { context, repository } = request;
  const comment = commentIn(request);
  requireEditAccess(request, comment.user_id);
  const { user_id: sender_id } = authorIn(request);
  const { data } = context.store;
  data.comments = data.comments.filter((one) => one !== comment);
  const issue = context.store.issue(repository, comment.issue_number);
  const deletion = { event: 'comment_deleted', author_id: comment.user_id, actor_id: sender_id } as const;
  if (issue) recordIssueEvent(context, issue, deletion);
  emitCommentEvent(context, comment, { action: 'deleted', sender_id });
  return noContent();
}

function bodyIn({ input }: RepositoryRequest): string {
  const body = input.requiredText('body');
  if (body.trim() === '') throw validationFailed('IssueComment', "Body can't be blank", 'body');
  return body;
}

/** 201 for a new reaction, 200 if the account has already added it. */
function react(request: RepositoryRequest): ApiResponse {
  const { context, repository, input } = request;
  const { reactions, issue_number } = commentIn(request);
  const issue = context.store.issue(repository, issue_number);
  if (issue) requireUnlocked(request, issue, 'create reaction');
  input.requiredText('content');
  const content = input.oneOf('content', reactionContents) ?? '+1';
  const { user_id } = authorIn(request);
  const given = reactions.find((one) => one.user_id === user_id && one.content === content);
  if (given) return ok(reactionPayload(context, given));
  const reaction = { id: context.store.id(), user_id, content, created_at: timestamp(context) };
  reactions.push(reaction);
  return created(reactionPayload(context, reaction));
}
