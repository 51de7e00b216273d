import { htmlLink } from '../payloads/links.ts';
import type { Viewer } from './viewer.ts';

/** The browser URL of a path in the repository that something belongs to. */
export function linkIn(
  { context }: Viewer,
  { repository_id }: { repository_id: number },
  path: string,
): string {
  return htmlLink(context, context.store.repository(repository_id), path);
}
