import { connect } from '../../github/octokit/connect.ts';
import { repositoryOf } from '../../github/read/repository.ts';
import { unlessForbidden } from '../../github/read/unless-forbidden.ts';
import { UsageError } from '../arguments.ts';
import { examineActions } from './actions.ts';
import { type Examined, problem } from './finding.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** A repository on which the Action works, seen with the token that somebody has set for this. */
export async function lookAtActions(variables: Variables, wanted: string): Promise<readonly Examined[]> {
  const token = variables['GH_TOKEN'] || variables['GITHUB_TOKEN'];
  if (!token)
    throw new UsageError(
      `--action asks GitHub as you, and takes your token from GH_TOKEN: GH_TOKEN=$(gh auth token) npx coxswain doctor --action --repo ${wanted}`,
    );
  const [owner = '', name = ''] = wanted.split('/');
  const octokit = connect({ token, baseUrl: apiUrl(variables) });
  const found = await unlessForbidden(octokit.rest.repos.get({ owner, repo: name }));
  if (found === undefined) {
    const remedy = 'Compare the name, and see that the token may read it';
    return [{ about: wanted, findings: [problem('repository', 'GitHub does not show it to you', remedy)] }];
  }
  const { clone_url } = repositoryOf(found.data);
  const remote = { url: clone_url, token: async () => token };
  const findings = await examineActions({ octokit, owner, name, remote, web: found.data.html_url });
  return [{ about: `${wanted}, as GitHub shows it to you`, findings }];
}

/** That of github.com, or of the Enterprise Server that the App's variables name. */
function apiUrl({ GHE_HOST: host, GHE_PROTOCOL: protocol }: Variables): string {
  return host ? `${protocol || 'https'}://${host}/api/v3` : 'https://api.github.com';
}
