import { attachmentWith } from '../../attachments.ts';
import { fullName } from '../../context.ts';
import type { Repository } from '../../model.ts';
import { sees } from '../../permissions.ts';
import { notFound } from '../../responses.ts';
import { avatar, type Html, html, person, type Value } from '../html.ts';
import { rawResponse } from '../response.ts';
import { openPage, type Page, type PageRoute, type Params, type Visit } from '../visit.ts';

/** The first page, and those of people and Apps. */
export const accountPages: readonly PageRoute[] = [
  openPage('', home),
  openPage('/apps/:slug', appPage),
  /** Files that somebody dropped into a text, at the address that the text has. */
  openPage('/user-attachments/assets/:id', ({ context }, { id = '' }) => {
    const attachment = attachmentWith(context, id);
    if (!attachment) throw notFound();
    const response = rawResponse(Buffer.from(attachment.content, 'base64'));
    return { ...response, headers: { ...response.headers, 'content-type': attachment.type } };
  }),
  openPage('/:login', accountPage),
];

function home(visit: Visit): Page {
  const { repositories } = visit.context.store.data;
  const main = html`<h1>Repositories</h1>
<p>This is a small GitHub on your own machine. What you do here sends the same webhooks, and obeys the same rules, as on github.com.</p>
${list(visit, repositories)}`;
  return { title: 'Repositories', main };
}

function accountPage(visit: Visit, { login = '' }: Params): Page {
  const account = visit.context.store.accountNamed(login);
  if (!account) throw notFound();
  const { repositories } = visit.context.store.data;
  const owned = repositories.filter(({ owner_id }) => owner_id === account.id);
  const kind = { User: 'A person', Bot: 'A bot', Organization: 'An organization' }[account.type];
  const main = html`<h1>${avatar(account)}${account.login}</h1>
<p class="muted">${kind}.</p><h2>Repositories</h2>${list(visit, owned)}`;
  return { title: account.login, main };
}

function list({ context, actor }: Visit, repositories: Repository[]): Html {
  const seen = repositories.filter((repository) => sees(actor, repository));
  if (seen.length === 0) return html`<p class="notice">There are no repositories.</p>`;
  const rows = seen.map((repository) => {
    const name = fullName(context, repository);
    return html`<li><a class="title" href="/${name}">${name}</a>
<span class="tag">${repository.private ? 'Private' : 'Public'}</span>
<span class="below">${repository.description}</span></li>`;
  });
  return html`<div class="card"><ul class="plain rows">${rows}</ul></div>`;
}

function appPage({ context }: Visit, { slug }: Params): Page {
  const app = context.store.data.apps.find((one) => one.slug === slug);
  if (!app) throw notFound();
  const permissions = Object.entries(app.permissions).map(([name, level]) => `${name}: ${level}`);
  const main = html`<h1>${app.name}</h1>
<p>A GitHub App of ${person(context, app.owner_id)}, which acts as ${person(context, app.bot_id)}.</p>
<h2>Permissions</h2>${items(permissions)}
<h2>Events</h2>${items(app.events)}`;
  return { title: app.name, main };
}

function items(texts: string[]): Html {
  if (texts.length === 0) return html`<p class="muted">None.</p>`;
  return html`<ul>${texts.map((text): Value => html`<li>${text}</li>`)}</ul>`;
}
