import type { FieldError, HttpError } from '../../responses.ts';
import { html } from '../html.ts';
import type { Page } from '../visit.ts';

const titles: Readonly<Record<number, string>> = {
  401: 'You are not signed in',
  403: 'This is not allowed',
  404: 'This page does not exist',
  421: 'This is not the name of the forge',
};

export function problemPage(status: number, detail: string): Page {
  const title = titles[status] ?? 'This does not work';
  return { title, status, main: html`<h1>${title}</h1><p>${detail}</p>` };
}

/** What github.com has and the forge has not. */
const names = [
  ...['actions', 'projects', 'wiki', 'releases', 'settings', 'security', 'pulse', 'graphs', 'discussions'],
  ...['milestones', 'labels', 'tags', 'forks', 'stargazers', 'packages', 'deployments', 'network', 'blame'],
  ...['find', 'new', 'upload', 'delete'],
];
const unsupported = new RegExp(`^/[^/]+/[^/]+/(?<what>${names.join('|')})(?:/|$)`);

/** For every other path: says which it is, a page that the forge does not have or nothing at all. */
export function fallbackPage(path: string): Page {
  const what = unsupported.exec(path)?.groups?.['what'];
  if (what === undefined) {
    return problemPage(404, 'There is nothing here, or you may not see it. Check the address.');
  }
  const main = html`<h1>The forge does not have this page</h1>
<p>On GitHub there would be <b>${what}</b> here. The forge shows code, commits, issues, pull requests and checks; the API of the forge may know more.</p>`;
  return { title: 'The forge does not have this page', status: 404, main };
}

/** GitHub's message with its details, as a person reads it. */
export function messageOf({ message, errors = [] }: HttpError): string {
  const details = errors.map((error: FieldError | string) =>
    typeof error === 'string'
      ? error
      : (error.message ?? `${error.resource} ${error.field ?? ''}: ${error.code.replaceAll('_', ' ')}`),
  );
  return [message.trim(), ...details].join('. ').replaceAll('..', '.');
}
