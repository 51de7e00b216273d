import { connect } from '../../github/octokit/connect.ts';
import { repositoryOf } from '../../github/read/repository.ts';
import { unlessForbidden } from '../../github/read/unless-forbidden.ts';
import { UsageError } from '../arguments.ts';
import { ownAccess, tokenVariables, webFrom } from '../own-token.ts';
import { examineActions } from './actions.ts';
import { type Examined, problem } from './finding.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** A repository on which the Action works, seen with the token that somebody has set for this. */
export async function lookAtActions(variables: Variables, wanted: string): Promise<readonly Examined[]> {
  const web = webFrom(variables);
  const access = ownAccess(web, variables);
  if (access === undefined) {
    const [variable] = tokenVariables(web);
    const example = `${variable}=$(gh auth token) coxswain doctor --action --repo ${wanted}`;
    throw new UsageError(`--action asks ${web} as you, and takes your token from ${variable}: ${example}`);
  }
  const [owner = '', name = ''] = wanted.split('/');
  const octokit = connect(access);
  const found = await unlessForbidden(octokit.rest.repos.get({ owner, repo: name }));
  if (found === undefined) {
    const remedy = 'Compare the name, and see that the token may read it';
    return [{ about: wanted, findings: [problem('repository', 'GitHub does not show it to you', remedy)] }];
  }
  const { clone_url } = repositoryOf(found.data);
  const remote = { url: clone_url, token: async () => access.token };
  const findings = await examineActions({ octokit, owner, name, remote, web: found.data.html_url });
  return [{ about: `${wanted}, as GitHub shows it to you`, findings }];
}
