import { type Context, timestamp } from '../context.ts';
import type { Edit } from '../model.ts';
import { nodeId } from '../payloads/links.ts';

/** A text with its edit history, which is empty until the first edit. */
interface EditableText<Body extends string | null> {
  body: Body;
  edits: Edit[];
  created_at: string;
}

interface NewBody<Body> {
  body: Body;
  author_id: number;
  editor_id: number;
}

/** Replaces a text and keeps all its versions; an unchanged text is not an edit. */
export function rewrite<Body extends string | null>(
  context: Context,
  text: EditableText<Body>,
  { body, author_id, editor_id }: NewBody<Body>,
): void {
  if (text.body === body) return;
  const version = (of: Body, id: number, at: string): Edit => ({
    id: context.store.id(),
    body: of ?? '',
    editor_id: id,
    edited_at: at,
    deleted: null,
  });
  if (text.edits.length === 0) text.edits.push(version(text.body, author_id, text.created_at));
  text.edits.push(version(body, editor_id, timestamp(context)));
  text.body = body;
}

/** Deletes the text of one version; the entry with its editor and time stays. */
export function deleteVersion(context: Context, node_id: string, deleter_id: number): void {
  const { issues, comments, reviews } = context.store.data;
  const texts = [...issues, ...comments, ...reviews, ...reviews.flatMap((review) => review.comments)];
  const edit = texts
    .flatMap(({ edits }) => edits)
    .find(({ id }) => nodeId('UserContentEdit', id) === node_id);
  if (!edit) throw new Error(`could not delete version ${node_id}: there is none`);
  edit.deleted = { at: timestamp(context), by_id: deleter_id };
}
