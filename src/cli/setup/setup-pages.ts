import { createHash } from 'node:crypto';
import { askedEvents, askedPermissions } from '../../app/asked-permissions.ts';
import { type Html, html, trusted, type Value } from '../../html/html.ts';
import { text as base } from '../../page/style/base.css?text';
import { text as colors } from '../../page/style/colors.css?text';
import { text as forms } from '../../page/style/forms.css?text';
import { text as icon } from '../../page/style/icon.svg?text';
import { text as layout } from '../../page/style/layout.css?text';
import { nextSteps, type SetupResult, type Step } from './registration.ts';
import { text as own } from './setup.css?text';
import type { Manifest } from './setup-form.ts';

/** The first page asks for the name, the owner, and the addresses of the webhook and of the page. */
export function formPage({
  key,
  fields,
  problems,
}: {
  readonly key: string;
  readonly fields: URLSearchParams;
  readonly problems: readonly string[];
}): Html {
  const typed = (name: string) => fields.get(name) ?? '';
  const isProxy = fields.get('delivery') === 'proxy';
  const checked = (is: boolean) => is && html` checked`;
  const content = html`${problems.length > 0 && problemBox(problems)}
<form class="card" action="/review" method="get">
<input type="hidden" name="key" value="${key}">
<div class="field">
<label for="name">Name of the App</label>
<input type="text" id="name" name="name" value="${typed('name')}" required maxlength="34" aria-describedby="name-hint">
<p class="muted" id="name-hint">It comments under this name. No two Apps on GitHub can have the same name.</p>
</div>
<div class="field">
<label for="organization">Organization</label>
<input type="text" id="organization" name="organization" value="${typed('organization')}" maxlength="39" aria-describedby="organization-hint">
<p class="muted" id="organization-hint">It owns the App. If empty, your own account does.</p>
</div>
<div class="field">
<label for="webhook">Address for webhooks</label>
<input type="url" id="webhook" name="webhook" value="${typed('webhook')}" required placeholder="https://coxswain.example.org" aria-describedby="webhook-hint">
<p class="muted" id="webhook-hint">This is where GitHub tells the App what happens.</p>
</div>
<fieldset>
<legend>That address is</legend>
<label><input type="radio" name="delivery" value="direct"${checked(!isProxy)}> where this App will listen, reachable from GitHub</label>
<label><input type="radio" name="delivery" value="proxy"${checked(isProxy)}> a proxy such as https://smee.io/…, to try it out</label>
</fieldset>
<div class="field">
<label for="page">Address of the App's page</label>
<input type="url" id="page" name="page" value="${typed('page')}" placeholder="https://coxswain.example.org" aria-describedby="page-hint">
<p class="muted" id="page-hint">Here people sign in with GitHub. If empty, it is that for webhooks without its path; with a proxy, <code>http://127.0.0.1:3000</code>.</p>
</div>
<button class="primary">Continue</button>
<p class="muted">Nothing is sent to GitHub yet.</p>
</form>`;
  return setupDocument({ title: 'Register your Coxswain App', step: 1, content });
}

/** The second page shows what will be requested. Its form is sent to GitHub, where the person confirms. */
export function reviewPage(manifest: Manifest, action: string): Html {
  const content = html`<p>The App <b>${manifest.name}</b> will ask for this of each repository on which it is installed, and for nothing else.</p>
<section class="card" aria-labelledby="permissions">
<h2 id="permissions">Permissions</h2>
<div class="scroll" tabindex="0" role="region" aria-label="Table of permissions">
<table>
<caption>What the App may do, and what for</caption>
<thead><tr><th scope="col">Permission</th><th scope="col">Level</th><th scope="col">The App …</th></tr></thead>
<tbody>${Object.entries(manifest.default_permissions).map(permissionRow)}</tbody>
</table>
</div>
</section>
<section class="card" aria-labelledby="events">
<h2 id="events">Events</h2>
<p>GitHub tells the App, at <code>${manifest.hook_attributes.url}</code>:</p>
<ul>${manifest.default_events.map(eventItem)}</ul>
</section>
<section class="card" aria-labelledby="people">
<h2 id="people">People</h2>
<p>Whoever signs in to the App's page is asked by GitHub, and comes back to <code>${manifest.callback_urls.join(', ')}</code>.
For them the App can do only what both they and the App may do.</p>
</section>
<form class="card" action="${action}" method="post">
<input type="hidden" name="manifest" value="${JSON.stringify(manifest)}">
<p>GitHub shows a page where you confirm the name, and then brings you back here. The App is yours: its key and its secrets are saved on this machine only.</p>
<button class="primary">Register on GitHub</button>
</form>
<details class="card">
<summary>Exactly what is sent</summary>
<pre tabindex="0">${JSON.stringify(manifest, null, 2)}</pre>
</details>`;
  return setupDocument({ title: 'What GitHub will be asked for', step: 2, content });
}

function permissionRow([name, level]: readonly [string, string]): Html {
  const known = Object.entries(askedPermissions).find(([each]) => each === name)?.[1];
  return html`<tr><th scope="row">${known?.title ?? name}</th><td>${level}</td><td>${known?.why ?? 'needs it because app.yml asks for it'}</td></tr>`;
}

function eventItem(name: string): Html {
  const why = Object.entries(askedEvents).find(([each]) => each === name)?.[1];
  return html`<li>${why ?? 'what app.yml asks for'} (<code>${name}</code>)</li>`;
}

export function resultPage(result: SetupResult): Html {
  switch (result.outcome) {
    case 'registered':
      return setupDocument({
        title: 'The App is registered',
        content: html`<div class="card">
<p>Its settings are in <code>${result.env_path}</code>, its private key in <code>${result.key_path}</code>.</p>
<h2>What is left</h2>
<ol class="left">${nextSteps(result).map(stepItem)}</ol>
<p class="muted">You can close this page: the command has ended, and lists the same in the terminal.</p>
</div>`,
      });
    case 'unsaved':
      return setupDocument({
        title: 'The secrets could not be saved',
        content: html`${problemBox([result.problem])}
<p><a href="${result.settings_url}">The App's settings</a></p>`,
      });
    case 'expired':
    case 'stopped':
      return refusalPage('This page has expired. Start setup again.');
  }
}

function stepItem({ text, run, open }: Step): Html {
  const linked = open === undefined ? text : html`<a href="${open}">${text}</a>`;
  return html`<li>${linked}${run !== undefined && html`: <code>${run}</code>`}.</li>`;
}

export function refusalPage(text: string): Html {
  return setupDocument({ title: 'That did not work', content: problemBox([text]) });
}

function problemBox(problems: readonly string[]): Html {
  return html`<div class="card problem" role="alert">${problems.map((problem) => html`<p>${problem}</p>`)}</div>`;
}

/** The style of the App's page. In the document itself: whoever may load more needs a key for each. */
const style = [colors, base, layout, forms, own].join('\n');

/** Allows our only style sheet in the Content-Security-Policy. */
export const styleSource = `'sha256-${createHash('sha256').update(style).digest('base64')}'`;

/** The person goes through these pages in this order. */
const steps = ['Describe it', 'Review', 'Register it on GitHub'] as const;

interface SetupDocument {
  readonly title: string;
  /** Which of the steps this is, counted from 1; none on a page that is no step. */
  readonly step?: number;
  readonly content: Value;
}

/** One page of setup. It works without scripts, of which it has none. */
function setupDocument({ title, step, content }: SetupDocument): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}: Coxswain</title>
<style>${trusted(style)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="site-header"><span class="brand">${trusted(decorative)}Coxswain</span><p>Setup</p></header>
<main id="main" tabindex="-1">
${step !== undefined && stepList(step)}
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`;
}

/** Its name stands beside it. */
const decorative = icon.replace('<svg ', '<svg width="24" height="24" aria-hidden="true" ');

function stepList(current: number): Html {
  const items = steps.map((name, index) => {
    const isCurrent = index + 1 === current;
    return isCurrent
      ? html`<li aria-current="step">${index + 1}. ${name}</li>`
      : html`<li>${index + 1}. ${name}</li>`;
  });
  return html`<ol class="steps" aria-label="Steps">${items}</ol>`;
}
