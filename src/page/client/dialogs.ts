import { keepDraft, restoreDrafts } from './drafts.ts';
import type { Refresher } from './refresher.ts';

/** Opens and closes dialogs, and notes which forms somebody has written in: no refresh replaces those. */
export function handleDialogs(refresher: Refresher): void {
  document.addEventListener('click', (event) => {
    const { target } = event;
    if (!(target instanceof Element)) return;
    const id = target.closest<HTMLElement>('[data-dialog]')?.dataset['dialog'];
    const dialog = id === undefined ? null : document.getElementById(id);
    if (dialog instanceof HTMLDialogElement) {
      event.preventDefault();
      dialog.showModal();
    }
    if (target.closest('[data-close]') !== null) target.closest('dialog')?.close();
  });
  document.addEventListener('input', ({ target }) => {
    const form = target instanceof Element && target.closest<HTMLFormElement>('form[data-fields]');
    if (!form) return;
    form.dataset['written'] = '';
    keepDraft(form);
  });
  void restoreDrafts();
  // What has changed meanwhile was not shown in it. The event does not bubble.
  document.addEventListener(
    'close',
    () => {
      refresher.discardEtag();
      return refresher.refresh();
    },
    true,
  );
}
