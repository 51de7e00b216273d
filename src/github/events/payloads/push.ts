import { z } from 'zod';
import type { GitHubEventOf } from '../github-event.ts';
import { envelope, originOf } from './parts.ts';

/** `pushed_at` is in seconds in a push payload; elsewhere it is a date. */
const pushedAt = z.union([
  z.number().transform((seconds) => new Date(seconds * 1000).toISOString()),
  z.string(),
]);

const payload = envelope.extend({ ref: z.string(), before: z.string(), deleted: z.boolean() });
const time = z.object({ repository: z.object({ pushed_at: pushedAt }) });

const branches = 'refs/heads/';

/** A branch was deleted; other pushes arrive as `pull_request.synchronize`. */
export function readPush(raw: unknown): GitHubEventOf<'branch_deleted'>[] {
  const { ref, before, deleted, ...parsed } = payload.parse(raw);
  if (!deleted || !ref.startsWith(branches)) return [];
  const at = time.parse(raw).repository.pushed_at;
  return [{ kind: 'branch_deleted', ...originOf(parsed), at, branch: ref.slice(branches.length), before }];
}
