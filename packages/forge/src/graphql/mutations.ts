import type { Context } from '../context.ts';
import type { Permissions, PullIssue } from '../model.ts';
import { disableAutoMerge, enableAutoMerge } from '../operations/issues.ts';
import { mergeWhenReady } from '../operations/merging.ts';
import { mergeability } from '../operations/pull-details.ts';
import { setDraft } from '../operations/pulls.ts';
import { dequeue, enqueue } from '../operations/queue-entries.ts';
import { needs, requireAccess } from '../permissions.ts';
import { hasMergeRules, queueViolations } from '../rules/merging.ts';
import { entryOf, queueRuleOn } from '../rules/queue.ts';
import { pullById } from './nodes.ts';
import { entryNode } from './queue.ts';
import { pullNode } from './threads.ts';
import { accountOf, notPermitted, ResolverError, type Viewer } from './viewer.ts';

/** The input of a mutation: its fields, and an id of the client's that is returned to it. */
interface OnPull {
  pullRequestId: string;
  clientMutationId?: string | null;
}

interface Enabling extends OnPull {
  mergeMethod: keyof typeof mergeMethods;
  expectedHeadOid?: string | null;
  commitHeadline?: string | null;
  commitBody?: string | null;
}

interface Enqueuing extends OnPull {
  expectedHeadOid?: string | null;
  jump?: boolean | null;
}

const mergeMethods = { MERGE: 'merge', REBASE: 'rebase', SQUASH: 'squash' } as const;

export function mutations(viewer: Viewer) {
  const { context } = viewer;
  const draft = (isDraft: boolean, type: string) =>
    mutation(viewer, { type, byAuthor: true }, async (issue, sender_id) => {
      await setDraft({ context, sender_id }, issue, isDraft);
      await mergeWhenReady(context, issue);
      return {};
    });
  const dequeuing = mutation(viewer, { type: 'DequeuePullRequest', byAuthor: false }, (issue, sender_id) =>
    leaveQueue(viewer, issue, sender_id),
  );
  return {
    enqueuePullRequest: mutation<Enqueuing>(
      viewer,
      { type: 'EnqueuePullRequest', byAuthor: false, permissions: { contents: 'write' } },
      (issue, sender_id, input) => joinQueue(viewer, issue, { sender_id, input }),
    ),
    // Its only input is the pull request, which has another name here.
    dequeuePullRequest: ({ input: { id, ...input } }: { input: { id: string } }) =>
      dequeuing({ input: { ...input, pullRequestId: id } }),
    markPullRequestReadyForReview: draft(false, 'MarkPullRequestReadyForReview'),
    convertPullRequestToDraft: draft(true, 'ConvertPullRequestToDraft'),
    enablePullRequestAutoMerge: mutation<Enabling>(
      viewer,
      { type: 'EnablePullRequestAutoMerge', byAuthor: false, permissions: { contents: 'write' } },
      async (issue, enabled_by_id, input) => {
        const refusal = await refusalOf(viewer, issue, input.expectedHeadOid ?? issue.pull.head_sha);
        if (refusal !== undefined) throw new ResolverError('UNPROCESSABLE', refusal);
        await enableAutoMerge(context, issue, {
          enabled_by_id,
          merge_method: mergeMethods[input.mergeMethod],
          commit_title: input.commitHeadline ?? null,
          commit_message: input.commitBody ?? null,
        });
        await mergeWhenReady(context, issue);
        return {};
      },
    ),
    disablePullRequestAutoMerge: mutation(
      viewer,
      { type: 'DisablePullRequestAutoMerge', byAuthor: true },
      async (issue, sender_id) => {
        if (issue.pull.auto_merge === null) {
          throw new ResolverError('UNPROCESSABLE', "Can't disable auto-merge for this pull request.");
        }
        await disableAutoMerge({ context, sender_id }, issue, 'manually_disabled');
        return {};
      },
    ),
  };
}

interface Guard {
  /** The mutation's name, for the message. */
  type: string;
  /** Whether authors may do this to their own pull requests; others need write access. */
  byAuthor: boolean;
  /** What an App needs beside `pull_requests: write`. */
  permissions?: Permissions;
}

/** What resolves a mutation of a pull request, if the viewer may do that. */
function mutation<Input extends OnPull>(
  viewer: Viewer,
  guard: Guard,
  perform: (issue: PullIssue, sender_id: number, input: Input) => Promise<object>,
) {
  return async ({ input }: { input: Input }) => {
    const issue = pullById(viewer, input.pullRequestId);
    requireWriteAccess(viewer, issue, guard);
    const results = await perform(issue, accountOf(viewer).id, input);
    return { clientMutationId: input.clientMutationId, pullRequest: pullNode(viewer, issue), ...results };
  };
}

/** Throws GitHub's error if the viewer may not write to the pull request. */
function requireWriteAccess(viewer: Viewer, issue: PullIssue, guard: Guard): void {
  const { actor, context } = viewer;
  const repository = context.store.repository(issue.repository_id);
  const isAuthor = actor.kind === 'user' && actor.account.id === issue.user_id;
  const role = guard.byAuthor && isAuthor ? 'read' : 'write';
  try {
    const permissions: Permissions = { pull_requests: 'write', ...guard.permissions };
    requireAccess(actor, { repository, needs: needs(role, permissions) });
  } catch (cause) {
    throw Object.assign(notPermitted(viewer, guard.type), { cause });
  }
}

/** Auto-merge can be enabled only while rules of the base branch hinder a merge. The words are GitHub's. */
async function refusalOf({ context }: Viewer, issue: PullIssue, head: string): Promise<string | undefined> {
  const { settings } = context.store.repository(issue.repository_id);
  if (!settings.allow_auto_merge) return 'Pull request Auto merge is not allowed for this repository';
  if (issue.state === 'closed') return 'Pull request Pull request is closed';
  if (issue.pull.draft) return 'Pull request Pull request is a draft';
  if (head !== issue.pull.head_sha) return 'Head branch was modified. Review and try the merge again.';
  const { state } = await mergeability(context, issue);
  if (queueRuleOn(context, context.store.repository(issue.repository_id), issue.pull.base_ref))
    return undefined;
  if (state === 'clean' || state === 'unstable') return `Pull request Pull request is in ${state} status`;
  if (hasMergeRules(context, issue)) return undefined;
  return 'Pull request Protected branch rules not configured for this branch';
}

/** Adds a pull request to the merge queue, which takes only those that meet their own requirements. */
async function joinQueue(
  viewer: Viewer,
  issue: PullIssue,
  { sender_id, input }: { sender_id: number; input: Enqueuing },
) {
  const { context } = viewer;
  const refusal = await queueRefusal(context, issue, input.expectedHeadOid ?? issue.pull.head_sha);
  if (refusal !== undefined) throw new ResolverError('UNPROCESSABLE', refusal);
  const entry = await enqueue({ context, sender_id }, issue, { jump: input.jump ?? false });
  return { mergeQueueEntry: entryNode(viewer, entry) };
}

async function leaveQueue(viewer: Viewer, issue: PullIssue, sender_id: number) {
  const entry = entryOf(viewer.context, issue);
  const shown = entry && entryNode(viewer, entry);
  if (!(await dequeue({ context: viewer.context, sender_id }, issue, 'MANUAL')))
    throw new ResolverError('UNPROCESSABLE', 'Pull request is not in the queue');
  return { mergeQueueEntry: shown };
}

/** Several unmet requirements are one message. */
async function queueRefusal(context: Context, issue: PullIssue, head: string): Promise<string | undefined> {
  const repository = context.store.repository(issue.repository_id);
  if (entryOf(context, issue)) return 'Pull request is already in the queue';
  if (issue.state === 'closed') return 'Pull request Pull request is closed';
  if (issue.pull.draft) return 'Pull request Pull request is a draft';
  if (!queueRuleOn(context, repository, issue.pull.base_ref))
    return 'Pull request Merge queue is not enabled for this branch';
  if (head !== issue.pull.head_sha) return 'Head branch was modified. Review and try the merge again.';
  if ((await mergeability(context, issue)).state === 'dirty')
    return 'Pull request Pull request has merge conflicts';
  const unmet = (await queueViolations(context, issue)).map(({ text }) => text);
  return unmet.length === 0 ? undefined : `Pull request ${unmet.join(', ')}`;
}
