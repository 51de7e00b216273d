import { attachmentWith } from '../../attachments.ts';
import { fullName } from '../../context.ts';
import { sees } from '../../permissions.ts';
import { html } from '../html.ts';
import { rawResponse } from '../response.ts';
import type { Page, Shown, Visit } from '../visit.ts';

/** What is outside of repositories: the first page, and files that somebody dropped into a text. */
export function openPage(visit: Visit): Shown | undefined {
  if (visit.path === '/') return home(visit);
  const [, id = ''] = /^\/user-attachments\/assets\/([^/]+)$/.exec(visit.path) ?? [];
  const attachment = attachmentWith(visit.context, id);
  return attachment && rawResponse(Buffer.from(attachment.content, 'base64'), attachment.type);
}

function home({ context, actor }: Visit): Page {
  const seen = context.store.data.repositories.filter((repository) => sees(actor, repository));
  const rows = seen.map((repository) => {
    const name = fullName(context, repository);
    return html`<li><a class="title" href="/${name}">${name}</a>
<span class="tag">${repository.private ? 'Private' : 'Public'}</span>
<span class="below">${repository.description}</span></li>`;
  });
  const none = html`<p class="notice">There are no repositories.</p>`;
  const main = html`<h1>Repositories</h1>
<p>This is a small GitHub on your own machine. What you do here sends the same webhooks, and obeys the same rules, as on github.com.</p>
${rows.length === 0 ? none : html`<div class="card"><ul class="plain rows">${rows}</ul></div>`}`;
  return { title: 'Repositories', main };
}
