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

/** For every other path: of GitHub's pages the forge has only some. */
export function fallbackPage(): Page {
  const detail =
    'There is nothing here, or you may not see it. Check the address. The forge shows issues, pull requests ' +
    'with their changes and checks; the API of the forge may know more.';
  return problemPage(404, detail);
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
