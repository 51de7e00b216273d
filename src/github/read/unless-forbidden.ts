import { GitHubFault } from '../octokit/fault.ts';

/** GitHub's answer; undefined if it does not let us see it, which it says with 403 or, to hide more, 404. */
export async function unlessForbidden<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (fault) {
    if (fault instanceof GitHubFault && (fault.status === 403 || fault.status === 404)) return undefined;
    throw fault;
  }
}
