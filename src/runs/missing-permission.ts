import type { MissingPermission } from '../github/octokit/fault.ts';
import type { LiveRun } from './live-run.ts';

/**
 * Without a permission the pull request cannot be drawn, and nobody would learn why. So which one it is, and
 * where it is granted, is said there, once; the marker in the comment is found again after a restart.
 */
export async function replyMissingPermission(
  { repository, number }: LiveRun,
  fault: MissingPermission,
): Promise<void> {
  const { octokit, owner, name: repo, own } = repository;
  const place = { owner, repo, issue_number: number };
  const marker = markerOf(fault);
  const comments = await octokit.paginate(octokit.rest.issues.listComments, { ...place, per_page: 100 });
  if (comments.some(({ body, user }) => user?.login === own.login && body?.includes(marker))) return;
  const told = `This run cannot be shown as it stands: ${fault.message}.`;
  const next = 'It goes on meanwhile, and is shown again when it next changes or the App is started.';
  await octokit.rest.issues.createComment({ ...place, body: `${told}\n\n${next}\n\n${marker}` });
}

export function markerOf({ permission }: MissingPermission): string {
  return `<!-- coxswain:reply missing:${permission.replace(/[^\w=,;]/g, '_')} -->`;
}
