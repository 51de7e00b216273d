import { gitOf } from '../context.ts';
import { readCommit } from '../git/commits.ts';
import { changedTree, type Signed, webIdentity } from '../git/committing.ts';
import type { Input } from '../input.ts';
import type { Json } from '../json.ts';
import { updateRef } from '../operations/ref-updates.ts';
import { gitCommitPayload } from '../payloads/commits.ts';
import { covers, needs } from '../permissions.ts';
import { HttpError, notFound, ok } from '../responses.ts';
import { type RepositoryRequest, type Route, repositoryRoute } from '../router.ts';
import { entryAt } from './contents.ts';
import { authorIn } from './shared.ts';

const write = needs('write', { contents: 'write' });

export const contentWriteRoutes: Route[] = [
  /** Creates a file, or replaces the one whose blob the caller names. */
  repositoryRoute('PUT /contents/{path}', write, async (request) => {
    const content = Buffer.from(request.input.requiredText('content'), 'base64');
    const { existed, sha, commit } = await change(request, content);
    const written = await entryAt(request, sha);
    return { status: existed ? 200 : 201, body: { content: written, commit } };
  }),
  repositoryRoute('DELETE /contents/{path}', write, async (request) => {
    const { commit } = await change(request, null);
    return ok({ content: null, commit });
  }),
];

interface Changed {
  /** Whether the file was there before. */
  existed: boolean;
  sha: string;
  commit: Json;
}

async function change(request: RepositoryRequest, content: Buffer | null): Promise<Changed> {
  const { context, repository, input, params } = request;
  const path = params['path'] ?? '';
  requireWorkflows(request, path);
  const git = gitOf(context, repository);
  const message = input.requiredText('message');
  const ref = `refs/heads/${input.text('branch') ?? repository.default_branch}`;
  const before = await git.ref(ref);
  if (before === undefined) throw new HttpError(404, `Branch ${ref.slice('refs/heads/'.length)} not found`);
  const existed = await requireCurrent(request, before, path);
  if (content === null && !existed) throw notFound();
  const sender_id = authorIn(request).user_id;
  const tree = await changedTree(git, before, { path, content });
  const after = await git.run(['commit-tree', tree, '-p', before], {
    input: `${message}\n`,
    env: webIdentity(context, sender_id, signedIn(input)),
  });
  await updateRef(context, repository, { ref, before, after, sender_id });
  const commit = gitCommitPayload(context, repository, await readCommit(git, after));
  return { existed, sha: after, commit };
}

/** The caller must name the blob that they replace. Returns whether there is one. */
async function requireCurrent(
  { context, repository, input }: RepositoryRequest,
  commit: string,
  path: string,
): Promise<boolean> {
  const found = await gitOf(context, repository).attempt([
    'rev-parse',
    '--verify',
    '--quiet',
    `${commit}:${path}`,
  ]);
  if (found.code !== 0) return false;
  const sha = input.requiredText('sha');
  if (sha !== found.stdout.trim()) throw new HttpError(409, `${path} does not match ${sha}`);
  return true;
}

/** The author of the commit is free text. */
function signedIn(input: Input): Signed | undefined {
  const author = input.object('author');
  return author && { name: author.requiredText('name'), email: author.requiredText('email') };
}

function requireWorkflows({ actor }: RepositoryRequest, path: string): void {
  if (!path.startsWith('.github/workflows/') || actor.kind !== 'installation') return;
  if (covers(actor.permissions, { workflows: 'write' })) return;
  throw new HttpError(403, 'Resource not accessible by integration', {
    headers: { 'x-accepted-github-permissions': 'contents=write,workflows=write' },
  });
}
