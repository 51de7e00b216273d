import { z } from 'zod';
import type { HeardOf } from '../github-event.ts';
import { issue } from './issue-comment.ts';
import { envelope, whence } from './parts.ts';

const payload = envelope.extend({ label: z.object({ name: z.string() }), issue });

/** An issue was labelled. */
export function readLabeledIssue(raw: unknown): HeardOf<'labeled'>[] {
  const parsed = payload.parse(raw);
  const { updated_at, ...about } = parsed.issue;
  return [{ kind: 'labeled', ...whence(parsed), at: updated_at, label: parsed.label.name, issue: about }];
}
