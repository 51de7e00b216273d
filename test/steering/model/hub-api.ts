import type { Account } from '../../../src/github/events/github-event.ts';
import type { Octokit } from '../../../src/github/octokit/connect.ts';
import { GitHubFault } from '../../../src/github/octokit/fault.ts';
import { run, task } from '../samples.ts';
import { type Facts, type Hub, type HubCheck, own, repository } from './hub.ts';

/**
 * GitHub's API as far as events and approvals are read with it. Answers can be older than now, as GitHub's
 * are; those about check runs are not, because only we write them.
 */
export function apiOf(hub: Hub, lag = 0): Octokit {
  const facts = hub.before(lag);
  const date = new Date(hub.now).toUTCString();
  const answer = <T>(data: T) => ({ data, headers: { date } });
  const pages = (list: (params: never) => Promise<unknown>, params: never) => ({
    async *[Symbol.asyncIterator]() {
      yield await list(params);
    },
  });
  const rest = {
    repos: {
      getCollaboratorPermissionLevel: async ({ username }: { username: string }) => {
        const id = idOf(username);
        return answer({ role_name: hub.roles.get(id) ?? 'none', permission: 'none', user: { id } });
      },
      compareCommitsWithBasehead: async () => answer({ status: 'diverged' }),
    },
    pulls: {
      get: async () => answer(pullData(facts)),
      list: async () => answer([pullData(facts)]),
      listReviews: async () => answer(facts.reviews.map(reviewData)),
      getReview: async ({ review_id }: { review_id: number }) =>
        answer(reviewData(found(facts.reviews, review_id))),
      listCommentsForReview: async () => answer([]),
    },
    git: {
      getRef: async () => {
        if (hub.branch === undefined) throw notFound();
        return answer({});
      },
    },
    issues: {
      listComments: async ({ since }: { since: string }) =>
        answer(
          facts.comments
            .filter(({ updated_at }) => Date.parse(updated_at) >= Math.floor(Date.parse(since) / 1000) * 1000)
            .map(commentData),
        ),
      getComment: async ({ comment_id }: { comment_id: number }) =>
        answer(commentData(found(facts.comments, comment_id))),
      listEvents: async () => answer(facts.turns.map(turnData)),
    },
    checks: {
      listForRef: async ({ ref, check_name, filter }: CheckQuery) => {
        const isAsked = ({ head_sha, name }: HubCheck) =>
          head_sha === ref && (check_name === undefined || name === check_name);
        const all = hub.checks.filter(isAsked);
        const ci = hub.ci.filter(isAsked).map(withCiApp);
        return answer([...(filter === 'latest' ? latest(all) : all.map(withApp)), ...ci]);
      },
      create: async (given: Partial<HubCheck>) => {
        const id = hub.newId();
        const check = { ...emptyCheck, ...given, id, completed_at: hub.at };
        hub.checks = [...hub.checks, check].slice(-60);
        return answer({ id });
      },
      update: async ({ check_run_id, ...given }: Partial<HubCheck> & { check_run_id: number }) => {
        hub.checks = hub.checks.map((check) => (check.id === check_run_id ? { ...check, ...given } : check));
        return answer({});
      },
    },
  };
  const graphql = async (_query: string, { ids, since }: { ids?: readonly string[]; since?: string }) =>
    ids === undefined ? timelineOf(facts, since ?? '') : { nodes: ids.map((id) => textOf(facts, id)) };
  const paginate = Object.assign(
    async (list: (params: never) => Promise<{ data: unknown }>, params: never) => (await list(params)).data,
    { iterator: pages },
  );
  // Only what is called is there.
  return { rest, graphql, paginate, log: { warn: () => undefined } } as unknown as Octokit;
}

function timelineOf({ turns }: Facts, since: string) {
  const all = { pageInfo: { hasPreviousPage: false } };
  const bases = turns
    .filter(({ event }) => event === 'retargeted')
    .map(({ at, about, by }) => ({ createdAt: at, currentRefName: about, actor: { login: by.login } }));
  const deletions = turns
    .filter(({ event, at }) => event === 'comment_deleted' && Date.parse(at) >= Date.parse(since))
    .map(({ at, by, author = null }) => ({
      ...{ createdAt: at, actor: actorOf(by), deletedCommentAuthor: author && actorOf(author) },
    }));
  const pullRequest = { bases: { ...all, nodes: bases }, deletions: { ...all, nodes: deletions } };
  return { repository: { pullRequest } };
}

function actorOf({ login, id, bot }: Account) {
  return bot ? { __typename: 'Bot', login } : { __typename: 'User', login, databaseId: id };
}

interface CheckQuery {
  readonly ref: string;
  readonly check_name?: string;
  readonly filter: 'latest' | 'all';
}

const emptyCheck: Omit<HubCheck, 'id'> = {
  ...{ name: '', head_sha: '', external_id: '', status: 'in_progress', conclusion: null },
  ...{ completed_at: null, actions: [] },
  output: { title: '', summary: '', text: '' },
};

function idOf(username: string): number {
  return { ada: 1, bob: 2, mia: 3, rea: 4 }[username] ?? 0;
}

function notFound(): GitHubFault {
  return new GitHubFault({ doing: 'GET', status: 404, retriable: false, reason: 'Not Found' });
}

function found<T extends { readonly id: number }>(all: readonly T[], id: number): T {
  const one = all.find((each) => each.id === id);
  if (one === undefined) throw notFound();
  return one;
}

function userOf({ login, id, bot }: Account) {
  return { login, id, type: bot ? 'Bot' : 'User' };
}

function latest(checks: readonly HubCheck[]): readonly HubCheck[] {
  const byName = new Map(checks.map((check) => [check.name, check]));
  return [...byName.values()].map(withApp);
}

function withApp(check: HubCheck) {
  return { ...check, app: { id: own.app.id, slug: 'coxswain' } };
}

/** Of the repository's own CI. */
function withCiApp({ output, ...check }: HubCheck) {
  const app = { id: 15368, slug: 'github-actions' };
  return { ...check, app, output: { ...output, annotations_count: 0 } };
}

function pullData({ pull }: Facts) {
  const repo = { id: repository.id, default_branch: repository.default_branch };
  return {
    ...{ number: run.number, node_id: 'PR', html_url: '', title: task.title, body: '', user: null },
    ...{ draft: pull.draft, state: pull.open ? 'open' : 'closed', labels: [{ name: 'coxswain' }] },
    ...{ merged_at: pull.merged ? pull.closed_at : null, closed_at: pull.closed_at },
    ...{ created_at: pull.updated_at, updated_at: pull.updated_at },
    head: { ref: run.branch, sha: pull.head, repo },
    base: { ref: pull.base, sha: '', repo },
  };
}

function commentData({ id, by, body, created_at, updated_at }: Facts['comments'][number]) {
  const issue_url = `https://api.github.test/repos/acme/service/issues/${run.number}`;
  return { id, node_id: `C${id}`, body, user: userOf(by), created_at, updated_at, issue_url };
}

function reviewData({ id, by, body, state, commit_id, submitted_at }: Facts['reviews'][number]) {
  return { id, node_id: `R${id}`, body, user: userOf(by), state, commit_id, submitted_at };
}

function turnData({ event, at, by, about }: Facts['turns'][number]) {
  return { event, created_at: at, actor: userOf(by), dismissed_review: { review_id: about } };
}

function textOf({ comments, reviews }: Facts, node_id: string) {
  const comment = comments.find(({ id }) => `C${id}` === node_id);
  const review = reviews.find(({ id }) => `R${id}` === node_id);
  if (comment === undefined && review === undefined) return null;
  const edits = comment?.edits ?? [];
  const nodes = edits.map(({ by, at }) => ({
    editedAt: at,
    editor: { login: by.login, databaseId: by.id },
  }));
  const userContentEdits = { pageInfo: { hasNextPage: false, endCursor: null }, nodes };
  return { id: node_id, lastEditedAt: edits.at(-1)?.at ?? null, userContentEdits };
}
