import type { Repository as GitHubRepository } from '../github/events/github-event.ts';
import { type Connection, connect, type Log } from '../github/octokit/connect.ts';
import { GitHubFault } from '../github/octokit/fault.ts';
import { isGraphql } from '../github/octokit/route.ts';
import { slugOf } from '../github/own.ts';
import { repositoryOf } from '../github/read/repository.ts';
import type { GitHubClock } from '../runs/repository/github-clock.ts';
import { type Repository, repositoryFrom } from '../runs/repository/repository.ts';
import type { ActionInputs } from './inputs.ts';
import type { JobWork } from './job-work.ts';

/** The repository of the workflow, accessed with its token. */
export async function openRepository(
  inputs: ActionInputs,
  { log, clock, work }: { readonly log: Log; readonly clock: GitHubClock; readonly work: JobWork },
): Promise<Repository> {
  const { token, data } = inputs;
  const octokit = connectionFor(inputs, log);
  clock.follow(octokit);
  const [repository, login] = await Promise.all([
    repositoryIn(work) ?? repositoryNamed(inputs, octokit),
    ownLogin(octokit),
  ]);
  return repositoryFrom({
    repository,
    octokit,
    token: async () => token,
    own: { login, app: { slug: slugOf(login) } },
    data,
  });
}

/** Most events name their repository, so that it need not be requested from GitHub. */
function repositoryIn(work: JobWork): GitHubRepository | undefined {
  const [first] = work.kind === 'events' ? work.events : [];
  return first !== undefined && 'repository' in first ? first.repository : undefined;
}

/** The runner provides both addresses; one cannot be derived from the other. */
function connectionFor({ token, apiUrl, graphqlUrl }: ActionInputs, log: Log): Connection {
  const octokit = connect({ token, baseUrl: apiUrl, log });
  octokit.hook.before('request', (options) => {
    if (isGraphql(options)) options.url = graphqlUrl;
  });
  return octokit;
}

async function repositoryNamed(inputs: ActionInputs, octokit: Connection) {
  const { data } = await octokit.rest.repos.get(inputs.repository());
  return repositoryOf(data);
}

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
