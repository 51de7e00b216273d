import { timestamp } from '../context.ts';
import type { Comment, Issue } from '../model.ts';
import { recordIssueEvent } from '../operations/issue-events.ts';
import { addComment, emitCommentEvent, requireMaxLength, rewrite } from '../operations/issues.ts';
import { formatsOf } from '../payloads/formats.ts';
import { commentPayload, commentsOf, reactionContents, reactionPayload } from '../payloads/issues.ts';
import { needs } from '../permissions.ts';
import { type ApiResponse, created, noContent, ok, validationFailed } from '../responses.ts';
import {
  type Listed,
  page,
  type RepositoryRequest,
  type Route,
  repositoryRoute,
  routesOn,
} from '../router.ts';
import { sorted } from './issues.ts';
import { issueRoute, requireEditAccess, requireUnlocked, thingIn, writableIssueRoute } from './shared.ts';

const read = needs('read', { issues: 'read' }, { pull_requests: 'read' });
const write = needs('read', { issues: 'write' }, { pull_requests: 'write' });

const commentRoute = routesOn(commentIn);

export const commentRoutes: Route[] = [
  issueRoute('GET /issues/{issue_number}/comments', read, listOfIssue),
  writableIssueRoute('POST /issues/{issue_number}/comments', write, create),
  repositoryRoute('GET /issues/comments', read, listOfRepository),
  commentRoute('GET /issues/comments/{comment_id}', read, (comment, { context }) =>
    ok(commentPayload(context, comment)),
  ),
  commentRoute('PATCH /issues/comments/{comment_id}', write, edit),
  commentRoute('DELETE /issues/comments/{comment_id}', write, remove),
  commentRoute('GET /issues/comments/{comment_id}/reactions', read, ({ reactions }, { context }) => {
    return page(reactions, (reaction) => reactionPayload(context, reaction));
  }),
  commentRoute('POST /issues/comments/{comment_id}/reactions', write, react),
];

function commentIn(request: RepositoryRequest): Comment {
  return thingIn(request, request.context.store.data.comments, 'comment_id');
}

function listOfIssue(issue: Issue, { context, query, accept }: RepositoryRequest): Listed {
  return page(since(query, commentsOf(context, issue)), (comment) => ({
    ...commentPayload(context, comment),
    ...formatsOf(context, accept, comment.body),
  }));
}

function listOfRepository({ context, repository, query }: RepositoryRequest): Listed {
  const comments = context.store.data.comments.filter((comment) => comment.repository_id === repository.id);
  return page(sorted(since(query, comments), query, 'asc'), (comment) => commentPayload(context, comment));
}

/** The comments that were updated at or after `since`. */
function since(query: URLSearchParams, comments: Comment[]): Comment[] {
  const from = query.get('since');
  return from === null ? comments : comments.filter((one) => Date.parse(one.updated_at) >= Date.parse(from));
}

function create(issue: Issue, request: RepositoryRequest): ApiResponse {
  const { context, author } = request;
  requireUnlocked(request, issue, 'create comment');
  const comment = addComment(context, issue, { body: bodyIn(request), author });
  emitCommentEvent(request, comment, 'created');
  return created(commentPayload(context, comment));
}

function edit(comment: Comment, request: RepositoryRequest): ApiResponse {
  const { context, sender_id } = request;
  requireEditAccess(request, comment.user_id);
  const body = bodyIn(request);
  requireMaxLength(body);
  const changes = { body: { from: comment.body } };
  rewrite(context, comment, body, sender_id);
  comment.updated_at = timestamp(context);
  emitCommentEvent(request, comment, 'edited', { changes });
  return ok(commentPayload(context, comment));
}

function remove(comment: Comment, request: RepositoryRequest): ApiResponse {
  const { context, repository } = request;
  requireEditAccess(request, comment.user_id);
  const { data } = context.store;
  data.comments = data.comments.filter((one) => one !== comment);
  const issue = context.store.issue(repository, comment.issue_number);
  if (issue) recordIssueEvent(request, issue, { event: 'comment_deleted', author_id: comment.user_id });
  emitCommentEvent(request, comment, 'deleted');
  return noContent();
}

function bodyIn({ input }: RepositoryRequest): string {
  const body = input.requiredText('body');
  if (body.trim() === '') throw validationFailed('IssueComment', "Body can't be blank", 'body');
  return body;
}

/** 201 for a new reaction, 200 if the account has already added it. */
function react({ reactions, issue_number }: Comment, request: RepositoryRequest): ApiResponse {
  const { context, repository, input, sender_id: user_id } = request;
  const issue = context.store.issue(repository, issue_number);
  if (issue) requireUnlocked(request, issue, 'create reaction');
  input.requiredText('content');
  const content = input.oneOf('content', reactionContents) ?? '+1';
  const given = reactions.find((one) => one.user_id === user_id && one.content === content);
  if (given) return ok(reactionPayload(context, given));
  const reaction = { id: context.store.id(), user_id, content, created_at: timestamp(context) };
  reactions.push(reaction);
  return created(reactionPayload(context, reaction));
}
