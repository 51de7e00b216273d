import { assetPaths } from './assets.ts';
import { avatar, type Html, html, joined, trusted } from './html.ts';
import type { Page, RepositoryVisit, Tab, Visit } from './visit.ts';

/** What is around a page; a visitor who may not see the forge only gets the path. */
export interface Surroundings {
  path: string;
  visit?: Visit;
  beside?: { url: string; text: string } | undefined;
  repository?: RepositoryVisit | undefined;
}

/** Not in a tagged template: for the end of a script in one, bundlers need a helper that is not there. */
const script = trusted(`<script src="${assetPaths.script}" defer></script>`);

/** The whole document of a page. */
export function documentOf(page: Page, around: Surroundings): Html {
  const place = around.repository ? ` · ${around.repository.at.slice(1)}` : '';
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${page.title}${place} · Forge</title>
<link rel="icon" href="${assetPaths.icon}">
<link rel="stylesheet" href="${assetPaths.style}">
${around.visit && script}
</head>
<body${page.wide ? html` class="wide"` : false}>
<a class="skip" href="#main">Skip to the content</a>
<header id="header">${topRow(around)}${around.repository && repositoryRow(around.repository, page.tab)}</header>
<main id="main" tabindex="-1"${page.still && html` data-still`}>
${refusal(around)}${page.main}
</main>
<footer><p id="connection" role="status" hidden>The forge is not responding. This page may be out of date; retrying…</p>
<p>A small GitHub for demonstrations: it runs on this machine only, and is not GitHub.</p></footer>
</body>
</html>`;
}

function topRow({ visit, beside }: Surroundings): Html {
  return html`<div class="top">
<a class="brand" href="/">Forge</a>
${beside && html`<a class="beside" href="${beside.url}">${beside.text}</a>`}
${
  visit &&
  html`<span class="who">Signed in as ${avatar(visit.actor.account)}${visit.actor.account.login}</span>`
}
</div>`;
}

function repositoryRow({ context, repository, at }: RepositoryVisit, tab: Tab | undefined): Html {
  const open = context.store.issues(repository).filter(({ state }) => state === 'open');
  const pulls = open.filter(({ pull }) => pull !== null).length;
  const [, owner = '', name = ''] = at.split('/');
  const link = (which: Tab, text: string, count: number) =>
    html`<a href="${at}/${which}"${which === tab && html` aria-current="page"`}>${text} <span class="count">${count}</span></a>`;
  return html`<div class="repository">
<p class="name">${owner} / <a href="${at}"><b>${name}</b></a> <span class="tag">${
    repository.private ? 'Private' : 'Public'
  }</span></p>
<nav aria-label="Repository">
${link('issues', 'Issues', open.length - pulls)}
${link('pulls', 'Pull requests', pulls)}
</nav>
</div>`;
}

function refusal({ visit }: Surroundings): Html | false {
  if (!visit?.refusal) return false;
  const { status, message } = visit.refusal;
  const lines = message.split('\n').filter((line) => line.trim() !== '');
  return html`<div id="refusal" class="notice danger" role="alert">
<p><b>That was refused.</b> ${joined(lines, html`<br>`)} <span class="muted">(${status})</span></p></div>`;
}
