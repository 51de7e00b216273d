import type { Connection } from '../github/octokit/connect.ts';
import { GitHubFault } from '../github/octokit/fault.ts';

/** The login behind a workflow's own token. */
const actionsBot = 'github-actions[bot]';

/** The login of our comments, which is that of the App whose token we have. */
export async function ownLogin(octokit: Connection): Promise<string> {
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
