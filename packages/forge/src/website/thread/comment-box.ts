import type { Issue } from '../../model.ts';
import { atLeast } from '../../permissions.ts';
import { form } from '../components.ts';
import { type Html, html } from '../html.ts';
import { type Deed, kept, type RepositoryVisit } from '../visit.ts';

/** The box at the end of a conversation, with which it can also be closed. */
export function commentBox(visit: RepositoryVisit, issue: Issue): Html {
  const typed = kept(visit, 'comment', 'body') ?? '';
  const content = html`<label class="hidden" for="comment-text">Comment</label>
<textarea id="comment-text" name="body" rows="5" placeholder="Leave a comment">
${typed}</textarea>
<div class="buttons"><button class="primary">Comment</button>${mayClose(visit, issue) && closeButtons(issue)}</div>`;
  return html`<section class="card" aria-labelledby="add-comment"><h2 class="head" id="add-comment">Add a comment</h2>
<div class="body">${form(visit, { does: 'comment', className: 'fields', id: 'comment-form' }, content)}</div></section>`;
}

function mayClose({ actor, role }: RepositoryVisit, { user_id, pull }: Issue): boolean {
  return user_id === actor.account.id || atLeast(role, pull === null ? 'triage' : 'write');
}

function closeButtons({ state, pull }: Issue): Html | false {
  if (pull?.merged_at) return false;
  const what = pull === null ? 'issue' : 'pull request';
  if (state === 'closed') return html`<button name="state" value="open">Reopen ${what}</button>`;
  const close = html`<button name="state" value="completed">Close ${what}</button>`;
  if (pull !== null) return close;
  return html`${close}<button name="state" value="not_planned">Close as not planned</button>`;
}

/** Comments, closes or reopens, or does both; without words and a state there is nothing to do. */
export const comment: Deed = async (visit, { params, form: fields }) => {
  const number = Number(params['number']);
  const body = fields.get('body') ?? '';
  const state = fields.get('state');
  let anchor = '';
  if (body.trim() !== '' || state === null) {
    const made = await visit.api('POST', `/repos${visit.at}/issues/${number}/comments`, { body });
    // What GitHub answers when it has created a comment.
    anchor = `#issuecomment-${(made as { id: number }).id}`;
  }
  if (state !== null) await setState(visit, number, state);
  return visit.path + anchor;
};

async function setState(visit: RepositoryVisit, number: number, state: string): Promise<void> {
  const issue = visit.context.store.issue(visit.repository, number);
  const kind = issue?.pull ? 'pulls' : 'issues';
  const reason = state === 'open' || issue?.pull ? {} : { state_reason: state };
  const body = { state: state === 'open' ? 'open' : 'closed', ...reason };
  await visit.api('PATCH', `/repos${visit.at}/${kind}/${number}`, body);
}
