import { gitOf } from '../context.ts';
import { readCommit } from '../git/commits.ts';
import { mergeIntoBranch, updateBranch } from '../operations/branch-merges.ts';
import { commitPayload } from '../payloads/commits.ts';
import { apiLink } from '../payloads/links.ts';
import { atLeast, needs, roleOf } from '../permissions.ts';
import { created, HttpError, noContent } from '../responses.ts';
import { type Route, repositoryRoute } from '../router.ts';
import { authorIn, pullIn } from './shared.ts';

export const mergeRoutes: Route[] = [
  /** Merges one branch or commit into a branch, without a pull request. */
  repositoryRoute('POST /merges', needs('write', { contents: 'write' }), async (request) => {
    const { context, repository, input } = request;
    const git = gitOf(context, repository);
    const branch = input.requiredText('base');
    const head = input.requiredText('head');
    const [base, sha] = [await git.ref(`refs/heads/${branch}`), await git.commit(head)];
    if (base === undefined) throw new HttpError(404, 'Base does not exist');
    if (sha === undefined) throw new HttpError(404, 'Head does not exist');
    if (await git.isAncestor(sha, base)) return noContent();
    const message = input.text('commit_message') ?? `Merge ${head} into ${branch}`;
    const sender_id = authorIn(request).user_id;
    const merged = await mergeIntoBranch(context, repository, { branch, sha, message, sender_id });
    if (merged === undefined) throw new HttpError(409, 'Merge conflict');
    return created(commitPayload(context, repository, await readCommit(git, merged)));
  }),
  /** It takes write access to the head; the merge itself is done when GitHub answers, unlike on GitHub. */
  repositoryRoute(
    'PUT /pulls/{pull_number}/update-branch',
    needs('read', { pull_requests: 'write' }),
    async (request) => {
      const { context, repository, input, actor } = request;
      const issue = pullIn(request);
      if (actor.kind === 'user' && !atLeast(roleOf(actor.account, repository), 'write')) {
        throw new HttpError(403, 'Must have write access to the head repository.');
      }
      const expected = input.text('expected_head_sha');
      if (expected !== undefined && expected !== issue.pull.head_sha) {
        throw new HttpError(422, 'expected head sha didn’t match current head ref.');
      }
      await updateBranch(context, issue, authorIn(request).user_id);
      const url = apiLink(context, repository, `/pulls/${issue.number}`);
      return { status: 202, body: { message: 'Updating pull request branch.', url } };
    },
  ),
];
