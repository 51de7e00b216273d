import type { MissingPermission } from '../github/octokit/fault.ts';
import { missingPermissionText } from '../github/words/missing-permission.ts';
import { Comments } from '../github/write/comments.ts';
import type { State } from '../steering/state.ts';
import { targetOf } from './comment-target.ts';
import type { Run } from './run.ts';
import type { Services } from './services.ts';

/**
 * Without a permission the pull request cannot be updated, and nobody would know why. So a comment names the
 * permission and where to grant it, once for each permission, even across restarts.
 */
export async function replyMissingPermission(
  { repository, number }: Run,
  { fault, state, services }: Missing,
): Promise<void> {
  const comments = new Comments(targetOf(repository, number, services), state.started_at);
  await comments.create({ kind: 'reply', id: missingPermissionId(fault) }, async () =>
    missingPermissionText(fault.message, state.run.presenter),
  );
}

interface Missing {
  readonly fault: MissingPermission;
  readonly state: State;
  readonly services: Services;
}

/** Identifies the reply, so that it is posted only once. */
export function missingPermissionId({ permission }: MissingPermission): string {
  return `missing:${permission.replace(/[^\w=,;]/g, '_')}`;
}
