import type { Reaction } from '../../model.ts';
import { reactionContents } from '../../payloads/reactions.ts';
import { HttpError } from '../../responses.ts';
import { form } from '../components.ts';
import { type Html, html } from '../html.ts';
import type { Deed, RepositoryVisit } from '../visit.ts';

type Content = (typeof reactionContents)[number];

const signs: Readonly<Record<Content, readonly [string, string]>> = {
  '+1': ['👍', 'thumbs up'],
  '-1': ['👎', 'thumbs down'],
  laugh: ['😄', 'laugh'],
  hooray: ['🎉', 'hooray'],
  confused: ['😕', 'confused'],
  heart: ['❤️', 'heart'],
  rocket: ['🚀', 'rocket'],
  eyes: ['👀', 'eyes'],
};

/** A comment by its id, or the issue itself. */
interface Target {
  comment?: number;
  reactions: Reaction[];
}

/** Who has reacted, and buttons to react or to take a reaction back. */
export function reactionBar(visit: RepositoryVisit, { comment, reactions }: Target): Html {
  const given = reactionContents.filter((content) => reactions.some((one) => one.content === content));
  const other = reactionContents.filter((content) => !given.includes(content));
  const id = `react-${comment ?? 'issue'}`;
  const buttons = (contents: readonly Content[]) =>
    contents.map((content) => button(visit, content, { comment, reactions }));
  return html`<div class="reactions">${buttons(given)}
<details id="${id}"><summary>React</summary>${buttons(other)}</details></div>`;
}

function button(
  visit: RepositoryVisit,
  content: Content,
  { comment, reactions }: { comment: number | undefined; reactions: Reaction[] },
): Html {
  const { store } = visit.context;
  const same = reactions.filter((one) => one.content === content);
  const isMine = same.some(({ user_id }) => user_id === visit.actor.account.id);
  const who = same.map(({ user_id }) => store.account(user_id).login).join(', ');
  const [sign, name] = signs[content];
  const count = same.length > 0 && html` ${same.length}`;
  return form(
    visit,
    { does: 'react', fields: { content, ...(comment === undefined ? {} : { comment }) } },
    html`<button aria-pressed="${isMine ? 'true' : 'false'}"${who !== '' && html` title="${who}"`}><span aria-hidden="true">${sign}</span><span class="hidden">${name}</span>${count}</button>`,
  );
}

/** Adds the reaction, or takes it back if the person has given it. */
export const react: Deed = async (visit, { params, form: fields }) => {
  const { context, repository, at, actor } = visit;
  const comment = fields.get('comment');
  const content = fields.get('content') ?? '';
  const number = Number(params['number']);
  const place = comment === null ? `issues/${number}` : `issues/comments/${Number(comment)}`;
  const target =
    comment === null
      ? context.store.issue(repository, number)
      : context.store.data.comments.find(({ id }) => id === Number(comment));
  if (!target) throw new HttpError(404, 'What you reacted to is gone.');
  const mine = target.reactions.find((one) => one.user_id === actor.account.id && one.content === content);
  const path = `/repos${at}/${place}/reactions`;
  if (mine) await visit.api('DELETE', `${path}/${mine.id}`);
  else await visit.api('POST', path, { content });
  return visit.path + (comment === null ? '' : `#issuecomment-${Number(comment)}`);
};
