import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Html, html, trusted, type Value } from '../html/html.ts';
import {
  type Answer,
  type Asset,
  assetAnswer,
  assetsBelow,
  hashOf,
  revalidated,
  seeOther,
  unchanged,
} from '../html/response.ts';
import { fragmentType } from './client/fragment-type.ts';
import { script } from './client/page-script.ts?bundle';
import type { Reply } from './sign-in/entrance.ts';
import { text as atWork } from './style/at-work.css?text';
import { text as badges } from './style/badges.css?text';
import { text as base } from './style/base.css?text';
import { text as colors } from './style/colors.css?text';
import { text as comments } from './style/comments.css?text';
import { text as diff } from './style/diff.css?text';
import { text as forms } from './style/forms.css?text';
import { text as guide } from './style/guide.css?text';
import { text as icon } from './style/icon.svg?text';
import { text as inbox } from './style/inbox.css?text';
import { text as layout } from './style/layout.css?text';
import { text as lists } from './style/lists.css?text';
import { text as print } from './style/print.css?text';
import { keysButton, keysDialog } from './views/keys-dialog.ts';

/** Everything a page loads, by path, and the paths of its own parts. */
export const { assetPaths, assets } = assetsBelow('/page', {
  styles: [colors, base, layout, badges, lists, forms, comments, diff, atWork, guide, inbox, print],
  script,
  icon,
});

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Whether the page's script asks, which needs only the `<main>`. */
export function isForScript({ headers }: IncomingMessage): boolean {
  return headers.accept === fragmentType;
}

/** The whole page, or only its `<main>` for the page's script; 304 if the browser already has it. */
export function sendView(
  { request, response }: Exchange,
  status: number,
  view: View,
  more: Readonly<Record<string, string>> = {},
): void {
  const isFragment = isForScript(request);
  const { text }: Html = isFragment ? renderFragment(view) : renderDocument(view);
  const headers = { ...revalidated(`"${hashOf(text)}"`, 'accept, cookie'), ...more };
  const isKnown = status === 200 && request.headers['if-none-match'] === headers.etag;
  const type = `${isFragment ? fragmentType : 'text/html'}; charset=utf-8`;
  const fresh = { status, headers: { ...headers, 'content-type': type }, body: text };
  send(response, isKnown ? unchanged(headers) : fresh);
}

export function sendAsset({ response }: Exchange, asset: Asset): void {
  send(response, assetAnswer(asset));
}

export function redirect(
  { response }: Exchange,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  send(response, seeOther(path, headers));
}

function send(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, headers).end(body);
}

/** One page; when the page refreshes itself, only its `<main>` is replaced. */
export interface View {
  readonly title: string;
  readonly main: Html;
  /** Whose account comments are posted with; null on a page for nobody in particular. */
  readonly person: { readonly login: string; readonly wayOut: string | null } | null;
}

/** The part that changes; the script takes title and content from it. */
function renderFragment({ title, main }: View): Html {
  return html`<main id="main" data-title="${title}" tabindex="-1">
${main}
</main>`;
}

/** It is no part of the template, because bundlers rewrite templates that contain a closing script tag. */
function scriptTag(path: string): Html {
  return trusted(`<script src="${path}" defer></${'script'}>`);
}

export function renderDocument(view: View): Html {
  const { style, script, icon } = assetPaths;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${view.title}</title>
<link rel="icon" href="${icon}" type="image/svg+xml">
<link rel="stylesheet" href="${style}">
${scriptTag(script)}
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="site-header"><a class="brand" href="/"><img src="${icon}" alt="" width="24" height="24">Coxswain</a>
${view.person !== null && commentingAs(view.person)}</header>
<p id="connection" class="notice" role="status" hidden></p>
<p id="message" role="status" aria-live="polite"></p>
${renderFragment(view)}
${view.person !== null && keysDialog}
</body>
</html>
`;
}

function commentingAs({ login, wayOut }: NonNullable<View['person']>): Html {
  const leave = wayOut !== null && html` · <a href="${wayOut}">Sign out</a>`;
  return html`<div class="person"><p>Commenting as <b>${login}</b>${leave}</p>${keysButton}</div>`;
}

export function sendReply(exchange: Exchange, reply: Reply): void {
  if ('leadsTo' in reply) redirect(exchange, reply.leadsTo, reply.headers);
  else sendView(exchange, reply.status, messagePage(reply.title, reply.content), reply.headers);
}

/** Makes a page that holds one message. */
export function messagePage(title: string, ...content: readonly Value[]): View {
  return { title, person: null, main: html`<h1>${title}</h1><div class="card message">${content}</div>` };
}
