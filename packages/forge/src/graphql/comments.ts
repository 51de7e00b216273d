import type { Edit } from '../model.ts';
import { actorNode } from './accounts.ts';
import type { PageArguments } from './connection.ts';
import { editConnection } from './edits.ts';
import type { Viewer } from './viewer.ts';

interface CommentSource {
  id: string;
  databaseId: number;
  author_id: number;
  body: string | null;
  edits: Edit[];
  created_at: string;
  updated_at: string;
}

/** The fields of GitHub's interface `Comment`: a text, its author, and its edits. */
export function commentFields({ context, actor }: Viewer, source: CommentSource) {
  const { id, databaseId, author_id, edits } = source;
  const newest = edits.at(-1);
  const viewer = actor.kind === 'user' || actor.kind === 'installation' ? actor.account.id : null;
  return {
    id,
    databaseId,
    fullDatabaseId: String(databaseId),
    author: actorNode(context, author_id),
    body: source.body ?? '',
    createdAt: source.created_at,
    updatedAt: source.updated_at,
    lastEditedAt: newest?.edited_at ?? null,
    editor: actorNode(context, newest?.editor_id ?? null),
    includesCreatedEdit: newest !== undefined,
    userContentEdits: (page: PageArguments) => editConnection(context, edits, page),
    viewerDidAuthor: author_id === viewer,
  };
}
