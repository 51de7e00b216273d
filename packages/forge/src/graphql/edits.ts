import type { Context } from '../context.ts';
import type { Edit } from '../model.ts';
import { nodeId } from '../payloads/links.ts';
import { actorNode } from './accounts.ts';
import { connection, type PageArguments } from './connection.ts';

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
