import { z } from 'zod';
import type { GitHubEventOf } from '../github-event.ts';
import { issue } from './issue-comment.ts';
import { envelope, originOf } from './parts.ts';

const payload = envelope.extend({ label: z.object({ name: z.string() }), issue });

/** An issue was labelled. */
export function readLabeledIssue(raw: unknown): GitHubEventOf<'labeled'>[] {
  const parsed = payload.parse(raw);
  const { updated_at, ...about } = parsed.issue;
  return [{ kind: 'labeled', ...originOf(parsed), at: updated_at, label: parsed.label.name, issue: about }];
}
