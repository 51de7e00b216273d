import type { Connection } from '../github/octokit/connect.ts';
import { GitHubFault } from '../github/octokit/fault.ts';

/** The login of a workflow's own token. */
const actionsBot = 'github-actions[bot]';

/** The login that our comments will have: a person's for a personal token, an App's for an App's token. */
export async function ownLogin(octokit: Connection, token: string): Promise<string> {
  if (/^(ghp_|github_pat_|gho_)/.test(token)) {
    const { data } = await octokit.rest.users.getAuthenticated();
    return data.login;
  }
  try {
    const { viewer } = await octokit.graphql<{ viewer: { login: string } }>('query { viewer { login } }');
    return viewer.login;
  } catch (fault) {
    if (!(fault instanceof GitHubFault)) throw fault;
    // Installation tokens may not be allowed this query; the workflow's own token is by far the most likely.
    return actionsBot;
  }
}
