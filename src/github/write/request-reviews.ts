import { isFinalRefusal, MissingPermission } from '../octokit/fault.ts';
import { type CommentTarget, repoParamsOf } from './pull-target.ts';

/**
 * Requests reviews of people (`@ada`) and teams (`@acme/core`), but not of the author, who opened the
 * pull request and whom GitHub lets nobody ask; who was asked before stays asked. GitHub refuses all of
 * them if one has no access, so then each is asked alone. Returns those from whom GitHub does not let us
 * request one.
 */
export async function requestReviews(
  target: CommentTarget,
  { of, author }: { readonly of: readonly string[]; readonly author: string },
): Promise<readonly string[]> {
  const wanted = of.filter((name) => name.toLowerCase() !== `@${author.toLowerCase()}`);
  if (wanted.length === 0 || (await isAccepted(target, wanted))) return [];
  if (wanted.length === 1) return wanted;
  const refused: string[] = [];
  for (const name of wanted) if (!(await isAccepted(target, [name]))) refused.push(name);
  return refused;
}

async function isAccepted(target: CommentTarget, names: readonly string[]): Promise<boolean> {
  const teams = names.filter((name) => name.includes('/'));
  try {
    await target.octokit.rest.pulls.requestReviewers({
      ...repoParamsOf(target),
      pull_number: target.run.number,
      reviewers: names.filter((name) => !name.includes('/')).map((name) => name.slice(1)),
      team_reviewers: teams.map((name) => name.slice(name.indexOf('/') + 1)),
    });
    return true;
  } catch (fault) {
    // Nothing depends on it: the pull request says who is needed.
    if (isFinalRefusal(fault) || fault instanceof MissingPermission) return false;
    throw fault;
  }
}
