import { createHash } from 'node:crypto';
import { type Html, html, trusted, type Value } from '../../page/html.ts';
import { text as base } from '../../page/style/base.css?text';
import { text as colors } from '../../page/style/colors.css?text';
import { text as forms } from '../../page/style/forms.css?text';
import { text as icon } from '../../page/style/icon.svg?text';
import { text as layout } from '../../page/style/layout.css?text';
import { text as own } from './setup.css?text';

/** The style of the App's page. In the document itself: whoever may load more needs a key for each. */
const style = [colors, base, layout, forms, own].join('\n');

/** Allows our only style sheet in the Content-Security-Policy. */
export const styleSource = `'sha256-${createHash('sha256').update(style).digest('base64')}'`;

/** The pages of setup, in order. */
const steps = ['Describe it', 'Look it over', 'Register it on GitHub'] as const;

export interface SetupDocument {
  readonly title: string;
  /** Which of the steps this is, counted from 1; none on a page that is no step. */
  readonly step?: number;
  readonly content: Value;
}

/** One page of setup. It works without scripts, of which it has none. */
export function setupDocument({ title, step, content }: SetupDocument): Html {
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
