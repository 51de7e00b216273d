import type { Context } from '../context.ts';
import type { Edit } from '../model.ts';
import { htmlLink, nodeId } from '../payloads/links.ts';
import { actorNode } from './accounts.ts';
import { connection, type PageArguments } from './connection.ts';
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

/** The edit history of a text, newest first; the original version is the last. */
export function editConnection(context: Context, edits: Edit[], page: PageArguments) {
  const nodes = edits.map((edit) => editNode(context, edit)).reverse();
  return connection('userContentEdits', nodes, page);
}

/** Despite its name, `diff` is the whole text after the edit. */
function editNode(context: Context, edit: Edit) {
  return {
    id: nodeId('UserContentEdit', edit.id),
    createdAt: edit.edited_at,
    editedAt: edit.edited_at,
    updatedAt: edit.deleted?.at ?? edit.edited_at,
    editor: actorNode(context, edit.editor_id),
    deletedAt: edit.deleted?.at ?? null,
    deletedBy: actorNode(context, edit.deleted?.by_id ?? null),
    diff: edit.deleted ? null : edit.body,
  };
}

/** The browser URL of a path in the repository that something belongs to. */
export function linkIn(
  { context }: Viewer,
  { repository_id }: { repository_id: number },
  path: string,
): string {
  return htmlLink(context, context.store.repository(repository_id), path);
}
