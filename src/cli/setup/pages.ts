import { createHash } from 'node:crypto';
import type { Manifest } from './manifest.ts';
import { nextSteps, type Step } from './next-steps.ts';
import type { SetupResult } from './setup-result.ts';

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 40rem; margin: 3rem auto; padding: 0 1rem; }
label, legend { display: block; font-weight: 600; margin-top: 1rem; }
fieldset label { font-weight: 400; margin-top: 0.25rem; }
fieldset { border: 0; padding: 0; margin: 1rem 0 0; }
legend { padding: 0; margin: 0; }
input[type=text], input[type=url] { width: 100%; box-sizing: border-box; font: inherit; padding: 0.4rem; }
button { font: inherit; margin-top: 1.5rem; padding: 0.5rem 1rem; }
pre { overflow: auto; padding: 1rem; border: 1px solid; border-radius: 6px; }
.problem { border-left: 4px solid #cf222e; padding-left: 0.75rem; }
`;

/** Allows our only style sheet in the Content-Security-Policy. */
export const styleSource = `'sha256-${createHash('sha256').update(style).digest('base64')}'`;

interface FormModel {
  readonly key: string;
  readonly fields: URLSearchParams;
  readonly problems: readonly string[];
}

/** The first page asks for the name, the owner and the webhook address. */
export function formPage({ key, fields, problems }: FormModel): string {
  const typed = (name: string) => escaped(fields.get(name) ?? '');
  const radio = (name: string, value: string, first: boolean) => {
    const checked = fields.has(name) ? fields.get(name) === value : first;
    return `<input type="radio" name="${name}" value="${value}"${checked ? ' checked' : ''}>`;
  };
  return page(
    'Register your Coxswain App',
    `${problems.map((problem) => `<p class="problem" role="alert">${escaped(problem)}</p>`).join('\n')}
<form action="/review" method="get">
  <input type="hidden" name="key" value="${escaped(key)}">
  <label for="name">Name of the App</label>
  <input type="text" id="name" name="name" value="${typed('name')}" required maxlength="34">
  <label for="organization">Organization (empty: your own account)</label>
  <input type="text" id="organization" name="organization" value="${typed('organization')}" maxlength="39">
  <label for="webhook">Address for webhooks</label>
  <input type="url" id="webhook" name="webhook" value="${typed('webhook')}" required>
  <fieldset><legend>That address is</legend>
    <label>${radio('delivery', 'direct', true)} where this App will listen, reachable from GitHub</label>
    <label>${radio('delivery', 'proxy', false)} a proxy such as https://smee.io/…, to try it out</label>
  </fieldset>
  <button>Continue</button>
</form>`,
  );
}

/** The second page shows what will be requested. Its form is sent to GitHub, where the person confirms. */
export function reviewPage(manifest: Manifest, action: string): string {
  return page(
    'What GitHub will be asked for',
    `<form action="${escaped(action)}" method="post">
  <input type="hidden" name="manifest" value="${escaped(JSON.stringify(manifest))}">
  <pre>${escaped(JSON.stringify(manifest, null, 2))}</pre>
  <button>Register on GitHub</button>
</form>`,
  );
}

export function resultPage(result: SetupResult): string {
  switch (result.outcome) {
    case 'registered':
      return page(
        'The App is registered',
        `<p>Its settings are in <code>${escaped(result.env_path)}</code>,
its private key in <code>${escaped(result.key_path)}</code>.</p>
<ol>
${nextSteps(result).map(stepItem).join('\n')}
</ol>`,
      );
    case 'unsaved':
      return page(
        'The secrets could not be saved',
        `<p class="problem" role="alert">${escaped(result.problem)}</p>
<p><a href="${escaped(result.settings_url)}">The App's settings</a></p>`,
      );
    case 'expired':
    case 'stopped':
      return refusalPage('This page has expired. Start setup again.');
  }
}

function stepItem({ text, run, open }: Step): string {
  const words = escaped(text);
  const linked = open === undefined ? words : `<a href="${escaped(open)}">${words}</a>`;
  return `<li>${linked}${run === undefined ? '' : `: <code>${escaped(run)}</code>`}.</li>`;
}

export function refusalPage(text: string): string {
  return page('That did not work', `<p class="problem" role="alert">${escaped(text)}</p>`);
}

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${title}</title><style>${style}</style></head>
<body>
<h1>${title}</h1>
${body}
</body>
</html>
`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
