/** Finds an element that the layout puts on every page. */
export function elementWithId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`could not find #${id} on this page`);
  return found;
}

/** Makes an element with these properties; text in it is never read as HTML. */
export function elementOf<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Partial<HTMLElementTagNameMap[K]>,
  ...children: readonly (HTMLElement | string)[]
): HTMLElementTagNameMap[K] {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}
