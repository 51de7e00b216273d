import { Idiomorph } from 'idiomorph';
import { elementWithId } from './element.ts';
import { showAges } from './relative-time.ts';

/** Shows a fragment, touching only what differs: what somebody types, opens or selects stays as it is. */
export function showFragment(text: string): void {
  const fresh = parse(text).querySelector('main');
  if (fresh === null) return;
  document.title = fresh.dataset['title'] ?? document.title;
  const callbacks = { beforeNodeMorphed, beforeAttributeUpdated };
  // It answers a promise only when it waits for scripts and styles of a head.
  void Idiomorph.morph(elementWithId('main'), fresh, { callbacks });
  showAges();
}

/** What a page that is not shown says: its alert, else its only card. */
export function alertIn(text: string): string | undefined {
  const page = parse(text);
  const alert = page.querySelector('[role=alert]') ?? page.querySelector('main .card');
  return alert?.textContent.trim();
}

function parse(text: string): Document {
  return new DOMParser().parseFromString(text, 'text/html');
}

/** Ages are written by this script, and what a text box holds is the person's. */
function beforeNodeMorphed(from: Node, to: Node): boolean {
  if (from instanceof HTMLTimeElement && to instanceof HTMLTimeElement) return from.dateTime !== to.dateTime;
  // With equal default texts there is nothing in the box to touch.
  if (from instanceof HTMLTextAreaElement) to.textContent = from.textContent;
  return true;
}

/** What a person or this script has set since the page was rendered. */
function beforeAttributeUpdated(name: string, element: Element, change: 'update' | 'remove'): boolean {
  if (element instanceof HTMLTextAreaElement) return name !== 'value';
  if (element instanceof HTMLDetailsElement) return name !== 'open';
  return !(change === 'remove' && name === 'aria-busy');
}
