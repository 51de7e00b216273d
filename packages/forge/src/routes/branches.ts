import { gitOf } from '../context.ts';
import { readCommit } from '../git/commits.ts';
import type { Json } from '../json.ts';
import type { Repository } from '../model.ts';
import { renameBranch } from '../operations/renaming.ts';
import { page } from '../pagination.ts';
import { commitPayload } from '../payloads/commits.ts';
import { apiLink, encodedPath, htmlLink } from '../payloads/links.ts';
import { protectionPayload, protectionSummary } from '../payloads/rules.ts';
import { atLeast, needs, requireAccess, roleOf } from '../permissions.ts';
import { type ApiResponse, created, HttpError, notFound, ok } from '../responses.ts';
import { type RepositoryRequest, type Route, repositoryRoute } from '../router.ts';
import { protectionOn, rulesetsOn } from '../rules/applied.ts';
import { authorIn } from './shared.ts';

const contents = needs('read', { contents: 'read' });

export const branchRoutes: Route[] = [
  repositoryRoute('GET /branches', contents, async (request) => {
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
  }),
  repositoryRoute('GET /branches/{branch}', contents, async ({ context, repository, params }) => {
    return ok(await payloadOf({ context, repository, name: params['branch'] ?? '' }));
  }),
  repositoryRoute('GET /branches/{branch}/protection', needs('read', { administration: 'read' }), protection),
  /** The default branch can be renamed only by administrators. */
  repositoryRoute(
    'POST /branches/{branch}/rename',
    needs('write', { contents: 'write' }),
    async (request) => {
      const { context, repository, params, input, actor } = request;
      const from = params['branch'] ?? '';
      const to = input.requiredText('new_name');
      if (from === repository.default_branch) {
        requireAccess(actor, { repository, needs: needs('admin', { administration: 'write' }) });
      }
      await renameBranch(context, repository, { from, to, sender_id: authorIn(request).user_id });
      return created(await payloadOf({ context, repository, name: to }));
    },
  ),
];

type Named = Pick<RepositoryRequest, 'context' | 'repository'> & { name: string };

async function payloadOf({ context, repository, name }: Named): Promise<Json> {
  const sha = await headOf({ context, repository, name });
  const self = apiLink(context, repository, `/branches/${name}`);
  return {
    name,
    commit: commitPayload(context, repository, await readCommit(gitOf(context, repository), sha)),
    _links: { self, html: htmlLink(context, repository, `/tree/${encodedPath(name)}`) },
    ...protectionOf(repository, name),
    protection_url: `${self}/protection`,
  };
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

async function headOf({ context, repository, name }: Named): Promise<string> {
  const sha = await gitOf(context, repository).ref(`refs/heads/${name}`);
  if (!sha) throw new HttpError(404, 'Branch not found');
  return sha;
}
