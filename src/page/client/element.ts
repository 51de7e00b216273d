/** Finds an element that the layout puts on every page. */
export function elementWithId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`could not find #${id} on this page`);
  return found;
}
