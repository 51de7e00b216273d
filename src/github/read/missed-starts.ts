import { isSurelyBefore } from '../../steering/shapes/time.ts';
import type { GitHubEventOf, Issue, Repository } from '../events/github-event.ts';
import { parseCommand } from '../markdown/command-parser.ts';
import { sameLabel } from '../names.ts';
import type { Answers, Octokit } from '../octokit/connect.ts';
import { firstPages, newestEvents } from './pagination.ts';
import { accountOf, commentOf, type RepositoryRef, repoParams } from './repository-ref.ts';

/** A label or a comment that asks for a run, as GitHub lists it. */
export type MissedStart = GitHubEventOf<'labeled'> | GitHubEventOf<'comment'>;

/** A limit for one sweep: 500 issues, and as many comments. */
const maxPages = 5;

/** How many are looked at: each costs a request. */
const maxIssues = 50;

/**
 * The trigger labels that were set and the comments with `/run` that were written since a time, as if their
 * webhooks had arrived: what has led to a run already leads to nothing else.
 */
export async function missedStarts(
  octokit: Octokit,
  repository: Repository,
  { since, trigger }: { readonly since: string; readonly trigger: string },
): Promise<readonly MissedStart[]> {
  const place = { ...repoParams(repository), since, per_page: 100 } as const;
  const issues = octokit.paginate.iterator(octokit.rest.issues.listForRepo, { ...place, labels: trigger });
  const labelled = (await firstPages(issues, maxPages)).filter((issue) => issue.pull_request === undefined);
  const starts: MissedStart[] = [];
  for (const data of labelled.slice(0, maxIssues)) {
    const issue = issueOf(data);
    const set = await lastLabelling(octokit, repository, { number: issue.number, trigger });
    if (set === undefined || isSurelyBefore(set.created_at, since)) continue;
    const origin = { repository, installation_id: null, sender: accountOf(set.actor) };
    starts.push({ kind: 'labeled', ...origin, at: set.created_at, label: trigger, issue });
  }
  const comments = octokit.paginate.iterator(octokit.rest.issues.listCommentsForRepo, place);
  for (const comment of await firstPages(comments, maxPages))
    starts.push(...(await startIn(octokit, repository, { comment, since })));
  return starts;
}

/** When somebody last set a label on an issue; undefined if nobody has. */
export async function lastLabelling(
  octokit: Octokit,
  repository: RepositoryRef,
  { number, trigger }: { readonly number: number; readonly trigger: string },
) {
  const events = await newestEvents(octokit, repository, number, maxPages);
  return events.findLast(
    (each) => each.event === 'labeled' && 'label' in each && sameLabel(each.label.name ?? '', trigger),
  );
}

/**
 * Only when it was written counts, not when it was edited. What was closed since has had its run, or nobody
 * waits for one.
 */
async function startIn(
  octokit: Octokit,
  repository: Repository,
  { comment, since }: { readonly comment: Parameters<typeof commentOf>[0]; readonly since: string },
): Promise<readonly GitHubEventOf<'comment'>[]> {
  const { body = '', created_at, updated_at } = comment;
  const author = accountOf(comment.user);
  if (author.bot || isSurelyBefore(created_at, since) || parseCommand(body)?.type !== 'run') return [];
  const number = Number(comment.issue_url.split('/').at(-1));
  const { data } = await octokit.rest.issues.get({ ...repoParams(repository), issue_number: number });
  if (data.state !== 'open') return [];
  return [
    {
      ...{ kind: 'comment', action: 'created', repository, installation_id: null, at: updated_at },
      ...{ sender: author, author, issue: issueOf(data) },
      comment: commentOf(comment, created_at === updated_at),
    },
  ];
}

type IssueData = Answers['issues']['get']['response']['data'];

function issueOf({ number, title, body, state, pull_request, labels }: IssueData): Issue {
  return {
    ...{ number, title, body: body ?? '', open: state === 'open', is_pull: pull_request !== undefined },
    labels: labels.flatMap((label) => (typeof label === 'string' ? label : (label.name ?? []))),
  };
}
