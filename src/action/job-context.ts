import type { Repository as GitHubRepository } from '../github/events/github-event.ts';
import { type Connection, connect, type Log } from '../github/octokit/connect.ts';
import { isGraphql } from '../github/octokit/route.ts';
import { slugOf } from '../github/own.ts';
import { repositoryOf } from '../github/read/repository.ts';
import type { GitHubClock } from '../runs/github-clock.ts';
import type { Repository } from '../runs/repository.ts';
import { repositoryFrom } from '../runs/repository.ts';
import type { ActionInputs } from './inputs.ts';
import type { JobWork } from './job-work.ts';
import { ownLogin } from './own-login.ts';

interface Prerequisites {
  readonly log: Log;
  readonly clock: GitHubClock;
  readonly work: JobWork;
}

/** The repository of the workflow, accessed with its token. */
export async function openRepository(
  inputs: ActionInputs,
  { log, clock, work }: Prerequisites,
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
