import { attachmentWith } from '../../attachments.ts';
import { fullName } from '../../context.ts';
import type { Account, App, Repository } from '../../model.ts';
import { sees } from '../../permissions.ts';
import { notFound } from '../../responses.ts';
import { avatar, type Html, html, person, type Value } from '../html.ts';
import { rawResponse } from '../response.ts';
import { type Page, type PageRoute, pathPattern, type Visit } from '../visit.ts';

/** The first page, and those of people and Apps. */
export const accountPages: readonly PageRoute[] = [
  { pattern: /^\/(?<none>)$/, of: 'anything', show: async (visit) => home(visit) },
  {
    pattern: pathPattern('/avatars/u/:id'),
    of: 'anything',
    show: async (visit, { id }) => picture(visit, Number(id)),
  },
  {
    pattern: pathPattern('/apps/:slug'),
    of: 'anything',
    show: async (visit, { slug }) => appPage(visit, slug ?? ''),
  },
  {
    pattern: pathPattern('/settings/installations/:id'),
    of: 'anything',
    show: async (visit, { id }) => installationPage(visit, Number(id)),
  },
  {
    pattern: pathPattern('/:login'),
    of: 'anything',
    show: async (visit, { login }) => accountPage(visit, login ?? ''),
  },
];

function home(visit: Visit): Page {
  const { repositories } = visit.context.store.data;
  const main = html`<h1>Repositories</h1>
<p>This is a small GitHub on your own machine. What you do here sends the same webhooks, and obeys the same rules, as on github.com.</p>
${list(visit, repositories)}`;
  return { title: 'Repositories', main };
}

function accountPage(visit: Visit, login: string): Page {
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

function appPage({ context }: Visit, slug: string): Page {
  const app = context.store.data.apps.find((one) => one.slug === slug);
  if (app) return { title: app.name, main: appMain({ context, app }) };
  const bot = context.store.accountNamed(`${slug}[bot]`);
  if (!bot) throw notFound();
  return { title: bot.login, main: html`<h1>${avatar(bot)}${bot.login}</h1><p>A bot without an App.</p>` };
}

function appMain({ context, app }: Pick<Visit, 'context'> & { app: App }): Html {
  const permissions = Object.entries(app.permissions).map(([name, level]) => `${name}: ${level}`);
  return html`<h1>${app.name}</h1>
<p>A GitHub App of ${person(context, app.owner_id)}, which acts as ${person(context, app.bot_id)}.</p>
<h2>Permissions</h2>${items(permissions)}
<h2>Events</h2>${items(app.events)}`;
}

function items(texts: string[]): Html {
  if (texts.length === 0) return html`<p class="muted">None.</p>`;
  return html`<ul>${texts.map((text): Value => html`<li>${text}</li>`)}</ul>`;
}

function installationPage(visit: Visit, id: number): Page {
  const { context, actor } = visit;
  const installation = context.store.data.installations.find((one) => one.id === id);
  if (!installation) throw notFound();
  const app = context.store.app(installation.app_id);
  const covered = context.store.data.repositories.filter(
    (repository) => installation.repository_ids.includes(repository.id) && sees(actor, repository),
  );
  const title = `Installation of ${app.name}`;
  const main = html`<h1>${title}</h1>
<p>The App <a href="/apps/${app.slug}">${app.name}</a> is installed for ${person(context, installation.account_id)} on these repositories. Changing that is not supported here.</p>
${list(visit, covered)}`;
  return { title, main };
}

function picture({ context }: Visit, id: number) {
  const account: Account | undefined = context.store.data.accounts.find((one) => one.id === id);
  if (!account) throw notFound();
  const svg = avatar(account).text.replace('<svg ', '<svg xmlns="http://www.w3.org/2000/svg" ');
  const response = rawResponse(svg);
  return { ...response, headers: { ...response.headers, 'content-type': 'image/svg+xml' } };
}

/** Files that somebody dropped into a text, at the address that the text has. */
export const attachmentPages: readonly PageRoute[] = [
  {
    pattern: pathPattern('/user-attachments/assets/:id'),
    of: 'anything',
    async show({ context }, { id = '' }) {
      const attachment = attachmentWith(context, id);
      if (!attachment) throw notFound();
      const response = rawResponse(Buffer.from(attachment.content, 'base64'));
      return { ...response, headers: { ...response.headers, 'content-type': attachment.type } };
    },
  },
];
