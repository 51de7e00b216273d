import { Problem } from '../doors/problem.ts';
import { post, type Sealing } from '../doors/speech/post-comment.ts';
import { GitHubFault } from '../github/octokit/fault.ts';
import { RateLimitWaitExceeded } from '../github/octokit/rate-limiter.ts';
import type { Repository } from '../repository/repository.ts';
import type { LiveRuns } from '../runs/run/live-runs.ts';
import { pageProblem } from './forms/form-input.ts';
import { commandNameIn } from './forms/offers.ts';
import { type IssueRoute, pathOf } from './load/page-routes.ts';
import type { Visitor } from './sign-in/visitors.ts';
import { isTaskAction } from './tasks/task-fields.ts';

/** Where somebody speaks, and as whom. */
interface Speaking {
  readonly visitor: Visitor;
  readonly route: IssueRoute;
  readonly repository: Repository;
  readonly liveRuns: LiveRuns;
}

/**
 * Comments with the person's account, for the page itself has no permissions. The same command of the same
 * person is not posted again while it waits to be taken up. If a run was asked for, returns when, by GitHub's
 * clock in seconds.
 */
export async function speak(speaking: Speaking, text: string): Promise<number | null> {
  const { visitor, route, repository, liveRuns } = speaking;
  const { postings } = visitor;
  const name = commandNameIn(text);
  if (name !== undefined && !text.trimStart().startsWith('/')) throw new Problem(422, hiddenCommand(name));
  // -1 where there is no run, or none that is known.
  const seq = liveRuns.ifOpen(repository, route.number)?.newest?.seq ?? -1;
  const path = pathOf({ ...route, page: 'issues' });
  const before = postings.of(path, seq);
  if (before?.phase === 'waiting' && before.body !== text && isResolution(before.name) && isResolution(name))
    throw new Problem(
      409,
      `/${before.name} was posted just now, and the first command counts: see what happens to it.`,
    );
  const starts = name === 'run' && route.page === 'issues';
  if (name !== undefined && !postings.begin(path, { name, body: text, seq }))
    return starts ? nowSeconds() : null;
  try {
    // By the present name of the repository, which may have been renamed.
    const { owner, name: repo } = repository;
    const { number } = route;
    const { octokit: person } = visitor.caller;
    const { created_at } = await post({ person, owner, repo, number, text, sealing: sealingFor(speaking) });
    visitor.reader.invalidate(route);
    return starts ? secondsOf(created_at) : null;
  } catch (fault) {
    postings.forget(path);
    if (isUnknown(fault))
      throw new Problem(
        503,
        'GitHub did not say whether it took the comment: look for it in the conversation before you post it again.',
      );
    throw pageProblem(fault, 'The comment was not accepted', liveRuns.services.log);
  }
}

/** Whether the comment may have been posted although that failed. */
function isUnknown(fault: unknown): boolean {
  if (!(fault instanceof GitHubFault) || fault.cause instanceof RateLimitWaitExceeded) return false;
  return fault.status === 0 || fault.status >= 500;
}

/** The page seals what it posts where the App has a key, so that it counts also with a token of the App. */
function sealingFor({ visitor, repository, liveRuns }: Speaking): Sealing | undefined {
  const { seals } = liveRuns.services;
  return seals && { seals, door: 'page', repository_id: repository.id, user_id: visitor.caller.id };
}

/** Whether it ends an interrupt, which only one can. */
function isResolution(name: string | undefined): boolean {
  return name !== undefined && name !== 'run' && isTaskAction(name);
}

/** What begins as a comment for people is one: a command in it may only have been pasted. */
function hiddenCommand(name: string): string {
  return `This comment has the command /${name} in it: begin the comment with it, or leave it out.`;
}

/** Comments are compared with it, whose times GitHub gives in whole seconds. */
function secondsOf(date: string | undefined): number {
  const milliseconds = Date.parse(date ?? '');
  return Number.isNaN(milliseconds) ? nowSeconds() : Math.floor(milliseconds / 1000);
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
