import type { Actor } from '../actors.ts';
import { fullName } from '../context.ts';
import { commitsBetween, listChanges, readCommit } from '../git/commits.ts';
import type { Account, PullIssue, Team } from '../model.ts';
import { recordIssueEvent } from '../operations/issue-events.ts';
import { disableAutoMerge, editText, emitIssueEvent, setState } from '../operations/issues.ts';
import {
  mergeIntoBranch,
  mergePull,
  mergeSettings,
  mergeWhenReady,
  updateBranch,
} from '../operations/merging.ts';
import { forkPoint, pullDetails } from '../operations/pull-details.ts';
import { openPull, retarget } from '../operations/pulls.ts';
import { accountPayload, teamPayload } from '../payloads/accounts.ts';
import { commitPayload, filePayload } from '../payloads/commits.ts';
import { apiLink } from '../payloads/links.ts';
import { pullSummary } from '../payloads/pulls.ts';
import { atLeast, needs, roleOf } from '../permissions.ts';
import { created, HttpError, invalidField, noContent, ok, validationFailed } from '../responses.ts';
import { page, type RepositoryRequest, type Route, repositoryRoute } from '../router.ts';
import { sorted } from './issues.ts';
import { mayModerate, pullRoute, requireEditAccess } from './shared.ts';

const read = needs('read', { pull_requests: 'read' });
const write = needs('read', { pull_requests: 'write' });

const triage = needs('triage', { pull_requests: 'write' });
const pushes = needs('write', { contents: 'write' });
const requested = '/pulls/{pull_number}/requested_reviewers';

export const pullRoutes: Route[] = [
  repositoryRoute('GET /pulls', read, ({ context, query, repository }) => {
    const state = query.get('state') ?? 'open';
    const base = query.get('base');
    const head = query.get('head');
    const owner = fullName(context, repository).split('/')[0];
    const pulls = context.store
      .pulls(repository)
      .filter((issue) => state === 'all' || issue.state === state)
      .filter(({ pull }) => base === null || pull.base_ref === base)
      // GitHub ignores a `head` without an owner.
      .filter(
        ({ pull }) =>
          !head?.includes(':') || `${owner}:${pull.head_ref}`.toLowerCase() === head.toLowerCase(),
      );
    return page(sorted(pulls, query), (issue) => pullSummary(context, issue));
  }),
  repositoryRoute('POST /pulls', write, async (request) => {
    const { context, repository, input, actor } = request;
    requireActionsSetting(request, actor);
    const issue = await openPull(context, repository, {
      title: titleIn(request),
      body: input.text('body') ?? null,
      head_ref: headIn(request),
      base_ref: input.requiredText('base'),
      draft: input.flag('draft') ?? false,
      author: request.author,
    });
    return created(await pullDetails(context, issue));
  }),
  /** Clients may also ask for the changes as text. */
  pullRoute('GET /pulls/{pull_number}', read, async (issue, { accept, context, git }) => {
    const [, form] = /\bvnd\.github(?:\.v3)?\.(diff|patch)\b/.exec(accept) ?? [];
    if (form === undefined) return ok(await pullDetails(context, issue));
    const command = form === 'diff' ? ['diff'] : ['format-patch', '--stdout'];
    const content = await git.bytes([
      ...command,
      `${await forkPoint(context, issue)}..${issue.pull.head_sha}`,
    ]);
    const type = `application/vnd.github.v3.${form}; charset=utf-8`;
    return { status: 200, text: { type, content: content.toString('utf8') } };
  }),
  pullRoute('PATCH /pulls/{pull_number}', write, async (issue, request) => {
    const { context, input } = request;
    requireEditAccess(request, issue.user_id);
    const body = input.fields['body'] === null ? '' : input.text('body');
    await editText(request, issue, { title: input.text('title'), body });
    const base = input.text('base');
    if (base !== undefined) await changeBase(request, issue, base);
    const state = input.oneOf('state', ['open', 'closed']);
    if (state !== undefined) await changeState(request, issue, state);
    return ok(await pullDetails(context, issue));
  }),
  pullRoute('GET /pulls/{pull_number}/files', read, async (issue, { context, git, repository }) => {
    const at = issue.pull.head_sha;
    const changes = await listChanges(git, await forkPoint(context, issue), at);
    return page(changes, (change) => filePayload(context, repository, { ...change, at }));
  }),
  pullRoute('GET /pulls/{pull_number}/commits', read, async ({ pull }, { context, git, repository }) => {
    const found = await commitsBetween(git, pull.base_sha, pull.head_sha);
    return page(found, (commit) => commitPayload(context, repository, commit));
  }),
  pullRoute(
    'PUT /pulls/{pull_number}/merge',
    pushes,
    async (issue, { context, repository, input, sender_id }) => {
      const method = input.oneOf('merge_method', ['merge', 'squash', 'rebase']) ?? 'merge';
      if (!repository.settings[mergeSettings[method]]) {
        const word = { merge: 'Merge commits', squash: 'Squash merges', rebase: 'Rebase merges' }[method];
        throw new HttpError(405, `${word} are not allowed on this repository.`);
      }
      const sha = await mergePull(context, issue, {
        method,
        title: input.text('commit_title'),
        message: input.text('commit_message'),
        sha: input.text('sha'),
        sender_id,
      });
      return ok({ sha, merged: true, message: 'Pull Request successfully merged' });
    },
  ),
  /** Merges one branch or commit into a branch, without a pull request. */
  repositoryRoute('POST /merges', pushes, async (request) => {
    const { context, git, input, repository } = request;
    const branch = input.requiredText('base');
    const head = input.requiredText('head');
    const [base, sha] = [await git.ref(`refs/heads/${branch}`), await git.commit(head)];
    if (base === undefined) throw new HttpError(404, 'Base does not exist');
    if (sha === undefined) throw new HttpError(404, 'Head does not exist');
    if (await git.isAncestor(sha, base)) return noContent();
    const message = input.text('commit_message') ?? `Merge ${head} into ${branch}`;
    const merged = await mergeIntoBranch(request, { branch, sha, message });
    if (merged === undefined) throw new HttpError(409, 'Merge conflict');
    return created(commitPayload(context, repository, await readCommit(git, merged)));
  }),
  /** It takes write access to the head; the merge itself is done when GitHub answers, unlike on GitHub. */
  pullRoute('PUT /pulls/{pull_number}/update-branch', write, async (issue, request) => {
    const { context, repository, input, actor } = request;
    if (actor.kind === 'user' && !atLeast(roleOf(actor.account, repository), 'write')) {
      throw new HttpError(403, 'Must have write access to the head repository.');
    }
    const expected = input.text('expected_head_sha');
    if (expected !== undefined && expected !== issue.pull.head_sha) {
      throw new HttpError(422, 'expected head sha didn’t match current head ref.');
    }
    await updateBranch(request, issue);
    const url = apiLink(context, repository, `/pulls/${issue.number}`);
    return { status: 202, body: { message: 'Updating pull request branch.', url } };
  }),
  pullRoute(`POST ${requested}`, triage, async (issue, request) => {
    const reviewers = reviewersIn(request);
    if (reviewers.some(({ id }) => id === issue.user_id)) {
      throw new HttpError(422, 'Review cannot be requested from pull request author.');
    }
    const teams = teamsIn(request);
    const added = reviewers.filter(({ id }) => !issue.pull.requested_reviewer_ids.includes(id));
    issue.pull.requested_reviewer_ids.push(...added.map(({ id }) => id));
    await emitForEach(request, issue, { event: 'review_requested', reviewers: added });
    await addTeams(request, issue, teams);
    return created(pullSummary(request.context, issue));
  }),
  pullRoute(`DELETE ${requested}`, triage, async (issue, request) => {
    const { pull } = issue;
    const removed = reviewersIn(request).filter(({ id }) => pull.requested_reviewer_ids.includes(id));
    pull.requested_reviewer_ids = pull.requested_reviewer_ids.filter(
      (id) => !removed.some((one) => one.id === id),
    );
    await emitForEach(request, issue, { event: 'review_request_removed', reviewers: removed });
    return ok(pullSummary(request.context, issue));
  }),
];

/** A repository setting controls whether GITHUB_TOKEN may open and approve pull requests. */
export function requireActionsSetting({ repository }: RepositoryRequest, actor: Actor): void {
  const isActions = actor.kind === 'installation' && actor.app.slug === 'github-actions';
  if (!isActions || repository.settings.actions_may_create_pull_requests) return;
  throw new HttpError(403, 'GitHub Actions is not permitted to create or approve pull requests.');
}

function titleIn({ input }: RepositoryRequest): string {
  const title = input.text('title');
  if (title) return title;
  throw invalidField('PullRequest', 'title', 'missing_field');
}

/** `branch` or `owner:branch`; the owner must be the repository's, because the forge has no forks. */
function headIn({ input, context, repository }: RepositoryRequest): string {
  const head = input.requiredText('head');
  const [owner = '', branch] = head.split(/:(.*)/s);
  if (branch === undefined) return head;
  if (owner.toLowerCase() === fullName(context, repository).split('/')[0]?.toLowerCase()) return branch;
  throw invalidField('PullRequest', 'head');
}

/** The author needs no write access for this, but without it auto-merge ends. */
async function changeBase(request: RepositoryRequest, issue: PullIssue, base: string): Promise<void> {
  const { context, repository, actor } = request;
  const before = issue.pull.base_ref;
  await retarget(request, issue, base);
  if (base === before) return;
  if (!mayModerate(actor, repository)) await disableAutoMerge(request, issue, 'base');
  await mergeWhenReady(context, issue);
}

/** A pull request that was merged or whose branch was deleted cannot be reopened. */
async function changeState(
  request: RepositoryRequest,
  issue: PullIssue,
  state: 'open' | 'closed',
): Promise<void> {
  const { git } = request;
  if (state === 'open' && issue.state === 'closed') {
    const head = await git.ref(`refs/heads/${issue.pull.head_ref}`);
    const base = await git.ref(`refs/heads/${issue.pull.base_ref}`);
    if (!head || !base || issue.pull.merged_at !== null) {
      const lost = head ? issue.pull.base_ref : issue.pull.head_ref;
      const why = head && base ? 'The pull request was merged.' : `The ${lost} branch has been deleted.`;
      throw validationFailed('PullRequest', `state cannot be changed. ${why}`, 'state');
    }
    issue.pull.head_sha = head;
    await git.run(['update-ref', `refs/pull/${issue.number}/head`, head]);
  }
  await setState(request, issue, state);
}

async function addTeams(request: RepositoryRequest, issue: PullIssue, teams: Team[]): Promise<void> {
  const known = issue.pull.requested_team_ids ?? [];
  const added = teams.filter(({ id }) => !known.includes(id));
  issue.pull.requested_team_ids = [...known, ...added.map(({ id }) => id)];
  for (const team of added) {
    recordIssueEvent(request, issue, { event: 'review_requested', team_id: team.id });
    const more = { requested_team: teamPayload(request.context, team) };
    await emitIssueEvent(request, issue, 'review_requested', more);
  }
}

async function emitForEach(
  request: RepositoryRequest,
  issue: PullIssue,
  { event, reviewers }: { event: 'review_requested' | 'review_request_removed'; reviewers: Account[] },
): Promise<void> {
  for (const account of reviewers) {
    recordIssueEvent(request, issue, { event, reviewer_id: account.id });
    const more = { requested_reviewer: accountPayload(request.context, account) };
    await emitIssueEvent(request, issue, event, more);
  }
}

/** Reviews can only be requested from collaborators. */
function reviewersIn({ context, repository, input }: RepositoryRequest): Account[] {
  return (input.texts('reviewers') ?? []).map((login) => {
    const account = context.store.accountNamed(login);
    const given =
      account && (repository.collaborators[String(account.id)] ?? account.id === repository.owner_id);
    if (account && given && roleOf(account, repository)) return account;
    throw noCollaborator();
  });
}

/** Of the organization that owns the repository, and with access to it. */
function teamsIn({ context, repository, input }: RepositoryRequest): Team[] {
  return (input.texts('team_reviewers') ?? []).map((slug) => {
    const team = context.store.data.teams.find(
      (one) => one.organization_id === repository.owner_id && one.slug === slug,
    );
    if (team?.repository_ids.includes(repository.id)) return team;
    throw noCollaborator();
  });
}

function noCollaborator(): HttpError {
  return new HttpError(
    422,
    'Reviews may only be requested from collaborators. One or more of the users or teams' +
      ' you specified is not a collaborator of the repository.',
  );
}
