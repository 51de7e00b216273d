import type { GitHubEvent } from '../github/events/github-event.ts';
import { type Connection, connect, type Log } from '../github/octokit/connect.ts';
import { isGraphql } from '../github/octokit/route.ts';
import { repositoryOf } from '../github/read/repository.ts';
import type { GitHubClock } from '../runs/github-clock.ts';
import type { Repository } from '../runs/repository.ts';
import { repositoryFrom } from '../runs/repository.ts';
import type { ActionInputs } from './inputs.ts';
import { ownLogin } from './own-login.ts';

interface Prerequisites {
  readonly log: Log;
  readonly clock: GitHubClock;
  /** The event, if there is one: it describes the repository, so GitHub need not be asked. */
  readonly incoming: GitHubEvent | string | undefined;
}

/** The repository of the workflow, accessed with the workflow's token. */
export async function openRepository(
  inputs: ActionInputs,
  { log, clock, incoming }: Prerequisites,
): Promise<Repository> {
  const { token, data } = inputs;
  const octokit = connectionFor(inputs, log);
  clock.follow(octokit);
  const [repository, login] = await Promise.all([
    typeof incoming === 'object' && 'repository' in incoming
      ? incoming.repository
      : repositoryNamed(inputs, octokit),
    ownLogin(octokit, token),
  ]);
  return repositoryFrom({ repository, octokit, token: async () => token, own: { login }, data });
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
