import { gitOf } from '../context.ts';
import { readCommit } from '../git/commits.ts';
import type { Json } from '../json.ts';
import type { Repository } from '../model.ts';
import { page } from '../pagination.ts';
import { commitPayload } from '../payloads/commits.ts';
import { apiLink, htmlLink } from '../payloads/links.ts';
import { protectionPayload, protectionSummary } from '../payloads/rules.ts';
import { atLeast, needs, roleOf } from '../permissions.ts';
import { type ApiResponse, HttpError, notFound, ok } from '../responses.ts';
import { type RepositoryRequest, type Route, repositoryRoute } from '../router.ts';
import { protectionOn, rulesetsOn } from '../rules/applied.ts';

const contents = needs('read', { contents: 'read' });

export const branchRoutes: Route[] = [
  repositoryRoute('GET /branches', contents, list),
  repositoryRoute('GET /branches/{branch}', contents, show),
  repositoryRoute('GET /branches/{branch}/protection', needs('read', { administration: 'read' }), protection),
];

async function list(request: RepositoryRequest): Promise<ApiResponse> {
  const { context, repository, query } = request;
  const format = '--format=%(refname:lstrip=2) %(objectname)';
  const output = await gitOf(context, repository).run(['for-each-ref', format, 'refs/heads/']);
  const wanted = query.get('protected');
  const branches = output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [name = '', sha = ''] = line.split(' ');
      const commit = { sha, url: apiLink(context, repository, `/commits/${sha}`) };
      return { name, commit, ...protectionOf(repository, name) };
    })
    .filter((branch) => wanted === null || String(branch.protected) === wanted);
  return page(request, branches, (branch) => ({
    ...branch,
    protection_url: `${apiLink(context, repository, `/branches/${branch.name}`)}/protection`,
  }));
}

async function show({ context, repository, params }: RepositoryRequest): Promise<ApiResponse> {
  const name = params['branch'] ?? '';
  const sha = await headOf({ context, repository, name });
  const self = apiLink(context, repository, `/branches/${name}`);
  return ok({
    name,
    commit: commitPayload(context, repository, await readCommit(gitOf(context, repository), sha)),
    _links: { self, html: htmlLink(context, repository, `/tree/${name}`) },
    ...protectionOf(repository, name),
    protection_url: `${self}/protection`,
  });
}

/** `protected` is also true if only a ruleset applies, of which `protection` tells nothing. */
function protectionOf(repository: Repository, name: string): { protected: boolean; protection: Json } {
  const ref = `refs/heads/${name}`;
  const classic = protectionOn(repository, ref);
  const isProtected = classic !== undefined || rulesetsOn(repository, ref).length > 0;
  return { protected: isProtected, protection: protectionSummary(classic) };
}

/** To people who are not administrators it does not exist. */
async function protection({ context, repository, params, actor }: RepositoryRequest): Promise<ApiResponse> {
  if (actor.kind === 'user' && !atLeast(roleOf(actor.account, repository), 'admin')) throw notFound();
  const branch = params['branch'] ?? '';
  await headOf({ context, repository, name: branch });
  const found = protectionOn(repository, `refs/heads/${branch}`);
  if (!found) throw new HttpError(404, 'Branch not protected');
  return ok(protectionPayload(context, repository, { branch, protection: found }));
}

async function headOf({
  context,
  repository,
  name,
}: Pick<RepositoryRequest, 'context' | 'repository'> & { name: string }): Promise<string> {
  const sha = await gitOf(context, repository).ref(`refs/heads/${name}`);
  if (!sha) throw new HttpError(404, 'Branch not found');
  return sha;
}
