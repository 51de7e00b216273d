import { assetPaths } from '../assets.ts';
import { type Html, html, trusted, type Value } from '../html.ts';

/** One page; when the page refreshes itself, only its `<main>` is replaced. */
export interface View {
  readonly title: string;
  readonly main: Html;
  /** The account that comments are posted with, if it is known. */
  readonly person: string | null;
}

/** The part that changes; the script takes title and content from it. */
export function renderFragment({ title, main }: View): Html {
  return html`<main id="main" data-title="${title}" tabindex="-1">
${main}
</main>`;
}

/** Not part of the template, because bundlers rewrite templates that contain a closing script tag. */
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
${view.person !== null && html`<p>Commenting as <b>${view.person}</b></p>`}</header>
<p id="connection" class="notice" role="status" hidden></p>
<p id="message" role="status" aria-live="polite"></p>
${renderFragment(view)}
</body>
</html>
`;
}

/** A page with one message. */
export function messagePage(title: string, ...content: readonly Value[]): View {
  return { title, person: null, main: html`<h1>${title}</h1><div class="card">${content}</div>` };
}
