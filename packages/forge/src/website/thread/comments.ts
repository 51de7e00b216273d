import type { Comment } from '../../model.ts';
import { atLeast } from '../../permissions.ts';
import { form } from '../components.ts';
import { type Html, html } from '../html.ts';
import type { Deed, RepositoryVisit } from '../visit.ts';
import { card, editor } from './card.ts';
import { reactionBar } from './reactions.ts';

/** A comment with its reactions, and what its author may do to it. */
export function commentCard(visit: RepositoryVisit, comment: Comment): Html {
  const { id, user_id, created_at, body, edits, reactions } = comment;
  const remove = form(
    visit,
    { does: 'delete-comment', fields: { id } },
    html`<button class="plain">Delete</button>`,
  );
  const mayEdit = user_id === visit.actor.account.id || atLeast(visit.role, 'write');
  const foot = [
    reactionBar(visit, { comment: id, reactions }),
    mayEdit && editor(visit, { does: 'edit-comment', id, body, more: remove }),
  ];
  return card(visit, {
    id: `issuecomment-${id}`,
    author_id: user_id,
    at: created_at,
    body,
    isEdited: edits.length > 0,
    verb: 'commented',
    foot,
  });
}

const editComment: Deed = async (visit, { form: fields }) => {
  const id = Number(fields.get('id'));
  await visit.api('PATCH', `/repos${visit.at}/issues/comments/${id}`, { body: fields.get('body') ?? '' });
  return `${visit.path}#issuecomment-${id}`;
};

const deleteComment: Deed = async (visit, { form: fields }) => {
  await visit.api('DELETE', `/repos${visit.at}/issues/comments/${Number(fields.get('id'))}`);
  return visit.path;
};

export const commentDeeds = { 'edit-comment': editComment, 'delete-comment': deleteComment };
