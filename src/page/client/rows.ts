/** The rows of the inbox as somebody goes through them by keyboard: each has the focus by its link. */

/** Moves the focus to the next row or to the one before; false if there are none. */
export function focusRow(step: 1 | -1): boolean {
  const all = rows();
  const at = all.findIndex(hasFocus);
  const next = at === -1 ? all[0] : (all[at + step] ?? all[at]);
  if (next === undefined) return false;
  focusLink(next);
  next.scrollIntoView({ block: 'nearest' });
  return true;
}

/**
 * Changes the page while the focus stays in its row, wherever that is afterwards. If the row leaves the list,
 * the focus goes to the one after it, or to the last one, as for somebody who goes on from there.
 */
export function keepRow(change: () => void): void {
  const before = rows().map(({ id }) => id);
  const at = rows().findIndex(hasFocus);
  change();
  if (at === -1 || rows().some(hasFocus)) return;
  const after = new Map(rows().map((row) => [row.id, row]));
  const still = [...before.slice(at), ...before.slice(0, at).reverse()].find((id) => after.has(id));
  const row = after.get(still ?? '');
  if (row !== undefined) focusLink(row);
  else document.querySelector<HTMLElement>('main')?.focus();
}

function rows(): readonly HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>('[data-row]')];
}

function hasFocus(row: Element): boolean {
  return row.contains(document.activeElement);
}

function focusLink(row: Element): void {
  // A refresh moves nobody who has scrolled elsewhere.
  row.querySelector<HTMLElement>('a')?.focus({ preventScroll: true });
}
