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
  if (commands === undefined || !button) return;
  const [, word = ''] = /^\s*\/([a-z]+)(?=\s|$)/i.exec(box.value) ?? [];
  const isCommand = commands.split(' ').includes(word.toLowerCase());
  button.textContent = isCommand ? `Post /${word.toLowerCase()}` : (button.dataset['label'] ?? '');
}
