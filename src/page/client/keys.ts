import { type Key, keyTexts } from './key-names.ts';
import { showNote } from './post-forms.ts';
import { focusRow } from './rows.ts';

/**
 * Single keys lead to what people use most, and never press it: what is said counts, so it takes a key of its
 * own. Everything can be done without them.
 */
export function handleKeys(): void {
  const choice = document.querySelector<HTMLInputElement>('#keys-on');
  if (choice === null) return;
  choice.checked = areOn();
  choice.addEventListener('change', () => localStorage.setItem(setting, choice.checked ? 'on' : 'off'));
  document.addEventListener('keydown', (event) => {
    // What was typed stays, and the keys can be used again.
    if (event.key === 'Escape' && event.target instanceof HTMLElement && event.target.matches(fields))
      event.target.blur();
    if (!isKey(event.key) || !areOn() || isForSomethingElse(event)) return;
    event.preventDefault();
    actions[event.key]();
  });
}

const setting = 'coxswain keys';

/** People who speak to their computer would press them by chance, so they can be switched off. */
function areOn(): boolean {
  return localStorage.getItem(setting) !== 'off';
}

function isKey(key: string): key is Key {
  return Object.hasOwn(keyTexts, key);
}

const actions: { readonly [K in Key]: () => void } = {
  j: () => goTo(1),
  k: () => goTo(-1),
  a: () =>
    focusOn('#button-approve button, #despite button, #button-allow button', 'Nothing can be approved'),
  s: () => focusOn('#comment-text', 'Nothing can be said'),
  r: () => focusOn('#reject textarea', 'Nothing can be rejected'),
  '?': () => document.querySelector<HTMLElement>('[data-dialog=keys]')?.click(),
};

function goTo(step: 1 | -1): void {
  if (!focusRow(step)) showNote('There is no list of waiting runs here.');
}

/** Shows and focuses the first that can be used; `none` says that there is none. */
function focusOn(selector: string, none: string): void {
  const all = [...document.querySelectorAll<HTMLButtonElement | HTMLTextAreaElement>(selector)];
  // While something that was posted waits, its form can't be sent.
  const target = all.find(({ form }) => form?.querySelector('button:disabled') === null);
  if (target === undefined) {
    showNote(all.length === 0 ? `${none} here now.` : 'What was posted waits for Coxswain first.');
    return;
  }
  target.closest('details')?.setAttribute('open', '');
  target.focus();
}

function isForSomethingElse(event: KeyboardEvent): boolean {
  const { target, isComposing, ctrlKey, altKey, metaKey, defaultPrevented } = event;
  const isTyping = target instanceof Element && target.closest(fields) !== null;
  const isInDialog = document.querySelector('dialog[open]') !== null;
  return defaultPrevented || isComposing || ctrlKey || altKey || metaKey || isTyping || isInDialog;
}

const fields = 'textarea, select, input:not([type=checkbox], [type=radio]), [contenteditable]';
