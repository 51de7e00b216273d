import type { Connection } from '../github/octokit/connect.ts';
import { GitHubFault } from '../github/octokit/fault.ts';

/** The login behind a workflow's own token. */
const actionsBot = 'github-actions[bot]';

/** The login of our comments: a person's for a personal token, an App's for an App's token. */
export async function ownLogin(octokit: Connection, token: string): Promise<string> {
  if (/^(ghp_|github_pat_|gho_)/.test(token)) {
    const { data } = await octokit.rest.users.getAuthenticated();
    return data.login;
  }
  try {
    const { viewer } = await octokit.graphql<{ viewer: { login: string } }>('query { viewer { login } }');
    return viewer.login;
  } catch (fault) {
    if (!isRefusal(fault)) throw fault;
    // Installation tokens may not be allowed to ask; a workflow's own token is by far the most likely.
    return actionsBot;
  }
}

/** An outage says nothing about the token: in a wrong name, our own comments would be those of a stranger. */
function isRefusal(fault: unknown): boolean {
  if (!(fault instanceof GitHubFault) || fault.retriable) return false;
  // GraphQL answers 200 also to what it refuses.
  return fault.status === 403 || fault.status === 200;
}
