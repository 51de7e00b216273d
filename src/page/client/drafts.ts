import { fragmentType } from './fragment-type.ts';
import { formIn } from './page-content.ts';

/**
 * What somebody has written in a form about a task, or about lines of the changes, is kept by the browser
 * until it is posted: it outlives a reload, a lost session, and a restart of Coxswain.
 */
export function keepDraft(form: HTMLFormElement): void {
  if (textFieldsOf(form).length > 0) {
    localStorage.setItem(keyOf(form), fieldsOf(form).toString());
    return;
  }
  // Where nothing can be written any more, such as after the last remark was removed, it is shown anew again.
  forgetDraft(form);
  delete form.dataset['written'];
}

export function forgetDraft(form: HTMLFormElement): void {
  localStorage.removeItem(keyOf(form));
}

/** Coxswain draws them: it knows how many tasks a form has, and whether the task has failed again since. */
export async function restoreDrafts(): Promise<void> {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-fields]')) {
    const draft = localStorage.getItem(keyOf(form));
    if (draft === null) continue;
    const init = {
      method: 'POST',
      body: new URLSearchParams(`${draft}&draft=1`),
      headers: { accept: fragmentType },
    };
    const again = await fetch(form.action, init).then(
      async (response) => formIn(await response.text(), form.id),
      () => undefined,
    );
    if (again !== undefined && form.dataset['written'] === undefined) showAgain(form, again, textsOf(form));
  }
}

function keyOf({ action }: HTMLFormElement): string {
  return `coxswain draft ${new URL(action).pathname}`;
}

/**
 * The form with what was `sent`, and what is wrong with it, or one task more. What somebody has written since
 * then stays.
 */
export function showAgain(form: HTMLFormElement, again: HTMLFormElement, sent: Texts): void {
  form.dataset['written'] = '';
  const since = writtenSince(form, sent);
  form.replaceChildren(...again.childNodes);
  form.querySelector<HTMLElement>('[autofocus]')?.focus();
  for (const [id, text] of since) {
    const field = textFieldsOf(form).find((each) => each.id === id);
    // Where a task was left out, another one has its id.
    if (field !== undefined && field.value === sent.get(id)) field.value = text;
  }
}

/** What stands in each text field, by its id. */
type Texts = ReadonlyMap<string, string>;

export function textsOf(form: HTMLFormElement): Texts {
  return new Map(textFieldsOf(form).map(({ id, value }) => [id, value]));
}

export function writtenSince(form: HTMLFormElement, sent: Texts): readonly (readonly [string, string])[] {
  return [...textsOf(form)].filter(([id, text]) => sent.has(id) && sent.get(id) !== text);
}

function textFieldsOf(form: HTMLFormElement) {
  return [...form.querySelectorAll<HTMLTextAreaElement | HTMLInputElement>('textarea, input[type=text]')];
}

/** The fields as a browser would send them. */
export function fieldsOf(form: HTMLFormElement, button: HTMLElement | null = null): URLSearchParams {
  const fields = [...new FormData(form, button)].map(([name, value]) => [name, String(value)]);
  return new URLSearchParams(fields);
}
