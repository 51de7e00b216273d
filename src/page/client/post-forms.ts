import { fieldsOf, forgetDraft, keepDraft, showAgain, textsOf, writtenSince } from './drafts.ts';
import { fragmentType } from './fragment-type.ts';
import { alertIn, elementWithId, formIn, showFragment } from './page-content.ts';
import { type Refresher, signedOut } from './refresher.ts';

/** Posts forms without leaving the page, also by Ctrl+Enter; and puts a command into the comment box. */
export function handleForms(refresher: Refresher): void {
  document.addEventListener('submit', (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || form.method !== 'post') return;
    // These lead to a page of their own.
    if (form.dataset['plain'] !== undefined) return;
    event.preventDefault();
    if (!isBusy(event.submitter)) void post(form, event.submitter, refresher);
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) requestSubmit(event.target);
  });
  document.addEventListener('click', ({ target }) => {
    if (!(target instanceof Element)) return;
    const command = target.closest<HTMLElement>('[data-insert]')?.dataset['insert'];
    if (command !== undefined) insert(command);
    else if (isMessage(target)) hideMessage();
  });
}

async function post(form: HTMLFormElement, button: HTMLElement | null, refresher: Refresher): Promise<void> {
  const body = fieldsOf(form, button);
  const sent = textsOf(form);
  const isAsSent = () => writtenSince(form, sent).length === 0;
  refresher.pause();
  const release = keepBusy(button);
  try {
    const response = await fetch(form.action, { method: 'POST', body, headers: { accept: fragmentType } });
    const text = await response.text();
    const again = response.redirected ? undefined : formIn(text, form.id);
    if (response.status === 401) throw new Refused(signedOut);
    if (again !== undefined && isKept(form)) {
      showAgain(form, again, sent);
      keepDraft(form);
      if (!response.ok && form.querySelector('[role=alert]') === null) showRefusal(form, alertIn(text) ?? '');
    } else if (again?.dataset['asked'] !== undefined) {
      release();
      showWithText(form, text);
      refresher.discardEtag();
    } else if (again?.dataset['left'] !== undefined) {
      release();
      showWithText(form, text);
      showNote('Posted.');
      refresher.discardEtag();
    } else if (!response.ok) throw new Refused(alertIn(text) || 'Not accepted.');
    else if (leadsElsewhere(response) && isAsSent()) {
      forgetDraft(form);
      // The button stays busy until the other page is there.
      location.assign(response.url);
      return;
    } else {
      refresher.discardEtag();
      release();
      if (isAsSent()) clear(form);
      showPosted(response, text);
    }
  } catch (fault) {
    showRefusal(
      form,
      fault instanceof Refused ? fault.message : 'Coxswain is not responding, so nothing was posted.',
    );
  }
  release();
  refresher.resume();
}

/** Coxswain, or GitHub, has said no. */
class Refused extends Error {}

function leadsElsewhere({ url }: Response): boolean {
  const there = new URL(url);
  return there.pathname !== location.pathname || there.search !== '';
}

/**
 * What was written may be a command, or only a part of it was posted: no refresh takes the question or the
 * rest away, and the text stays as it is now.
 */
function showWithText(form: HTMLFormElement, text: string): void {
  delete form.dataset['written'];
  showFragment(text);
  form.dataset['written'] = '';
  form.querySelector<HTMLButtonElement>('[role=alert] button')?.focus();
}

/** Until it is released, the button says what it does and does it only once. */
function keepBusy(button: HTMLElement | null): () => void {
  if (button === null) return () => undefined;
  const label = [...button.childNodes];
  // It must not become smaller under the pointer.
  button.style.minWidth = `${button.offsetWidth}px`;
  button.setAttribute('aria-busy', 'true');
  button.setAttribute('aria-disabled', 'true');
  if (!asksOnly(button)) button.replaceChildren('Posting…');
  return () => {
    if (button.getAttribute('aria-busy') !== 'true') return;
    button.style.minWidth = '';
    button.removeAttribute('aria-busy');
    button.removeAttribute('aria-disabled');
    button.replaceChildren(...label);
    // Somebody may have written something else meanwhile.
    const box = button.closest('form')?.querySelector('textarea');
    if (box) relabel(box);
  };
}

/** Whether the button only asks to see the changes in another way, or a box for a remark. */
function asksOnly(button: HTMLElement): boolean {
  return button instanceof HTMLButtonElement && ['on', 'drop', 'go'].includes(button.name);
}

/** Whether its fields belong to the person once they have written in one. */
function isKept({ dataset }: HTMLFormElement): boolean {
  return dataset['fields'] !== undefined;
}

/** While a dialog is open, people see nothing beside it. */
function showRefusal(form: HTMLFormElement, text: string): void {
  const notice = form.querySelector('[data-notice]');
  if (notice === null) showProblem(text);
  else notice.textContent = text;
}

/** Empties a form that was posted, unless somebody has gone on writing in it meanwhile. */
function clear(form: HTMLFormElement): void {
  form.reset();
  delete form.dataset['written'];
  forgetDraft(form);
  form.closest('dialog')?.close();
  form.closest('details')?.removeAttribute('open');
}

function showPosted(response: Response, text: string): void {
  // The answer is the page without what the address says of how to show it.
  if (location.search === '' && !leadsElsewhere(response)) showFragment(text);
  showNote('Posted.');
}

function isBusy(button: HTMLElement | null): boolean {
  return button?.getAttribute('aria-busy') === 'true';
}

function requestSubmit(target: EventTarget | null): void {
  if (!(target instanceof Element)) return;
  const form = target.closest<HTMLFormElement>('form[method=post]');
  const question = form?.querySelector<HTMLButtonElement>('[data-asked] [role=alert] button');
  // Whoever is asked chooses one of the buttons.
  if (question) question.focus();
  else form?.requestSubmit(mainButtonOf(form));
}

/** Among lines of changes, each number is a button as well. */
function mainButtonOf(form: HTMLFormElement): HTMLButtonElement | null {
  return form.querySelector('button.primary') ?? form.querySelector('button:not([type=button])');
}

function insert(command: string): void {
  const box = document.querySelector<HTMLTextAreaElement>('#comment-text');
  if (box === null) return;
  box.value = command;
  box.dispatchEvent(new Event('input', { bubbles: true }));
  box.focus();
}

/**
 * A command in the comment box is posted as it stands, whichever button is used; the button says so. The form
 * lists the words that are commands.
 */
export function labelCommands(): void {
  document.addEventListener('input', ({ target }) => {
    if (target instanceof HTMLTextAreaElement) relabel(target);
  });
  document.addEventListener('reset', ({ target }) => {
    const box = target instanceof HTMLFormElement && target.querySelector('textarea');
    // The box is emptied after this event.
    if (box) setTimeout(() => relabel(box));
  });
}

function relabel(box: HTMLTextAreaElement): void {
  const { commands } = box.form?.dataset ?? {};
  const button = box.form?.querySelector<HTMLButtonElement>('button[data-label]');
  if (commands === undefined || !button || isBusy(button)) return;
  const [, word = ''] = /^\s*\/([a-z]+)(?=\s|$)/i.exec(box.value) ?? [];
  const isCommand = commands.split(' ').includes(word.toLowerCase());
  button.textContent = isCommand ? `Post /${word.toLowerCase()}` : (button.dataset['label'] ?? '');
  // What is a command already is posted as it stands.
  button.value = isCommand ? '' : 'steer';
}

const successMs = 4000;

let timer = 0;

/** Shows a message that disappears by itself. */
export function showNote(text: string): void {
  write(text, false);
  timer = setTimeout(hideMessage, successMs);
}

/** Shows a message that stays until it is clicked or replaced. */
function showProblem(text: string): void {
  write(text, true);
}

function hideMessage(): void {
  write('', false);
}

function isMessage(target: Node): boolean {
  return elementWithId('message').contains(target);
}

function write(text: string, isProblem: boolean): void {
  clearTimeout(timer);
  const message = elementWithId('message');
  message.classList.toggle('problem', isProblem);
  message.textContent = text;
}
