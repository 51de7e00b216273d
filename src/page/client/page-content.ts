import { Idiomorph } from 'idiomorph';
import { keepRow } from './rows.ts';

/** Shows a fragment, changing only what differs: text being typed, open details and selections are kept. */
export function showFragment(text: string): void {
  const fresh = parse(text).querySelector('main');
  if (fresh === null) return;
  document.title = fresh.dataset['title'] ?? document.title;
  const callbacks = { beforeNodeMorphed, beforeNodeRemoved, beforeAttributeUpdated };
  keepRow(() => {
    // It returns a promise only when it waits for scripts and styles of a head.
    void Idiomorph.morph(elementWithId('main'), fresh, { callbacks });
  });
  showAges();
}

/**
 * Shows a part of the page in a place of the script's own, changing only what differs. The end of a text
 * stays in sight, unless somebody has scrolled to another part of it.
 */
export function showIn(place: HTMLElement, fresh: string): void {
  const atEnd = ({ scrollTop, clientHeight, scrollHeight }: Element) =>
    scrollHeight - scrollTop - clientHeight < 2;
  const left = [...place.querySelectorAll('pre')].some((text) => !atEnd(text));
  const callbacks = { beforeNodeMorphed: isFresh };
  void Idiomorph.morph(place, fresh, { morphStyle: 'innerHTML', callbacks });
  if (!left) for (const text of place.querySelectorAll('pre')) text.scrollTop = text.scrollHeight;
  showAges();
}

/** The form with this id as a page that is not shown has it. */
export function formIn(text: string, id: string): HTMLFormElement | undefined {
  return [...parse(text).querySelectorAll('form')].find((form) => form.id === id);
}

/** The message of a page that is not shown: its alert, or else its only card. */
export function alertIn(text: string): string | undefined {
  const page = parse(text);
  const alert = page.querySelector('[role=alert]') ?? page.querySelector('main .card');
  return alert?.textContent.trim();
}

function parse(text: string): Document {
  return new DOMParser().parseFromString(text, 'text/html');
}

/** Ages and news of agents are written by this script; the content of a text box belongs to the person. */
function beforeNodeMorphed(from: Node, to: Node): boolean {
  if (from instanceof HTMLElement && to instanceof HTMLElement && isOfThisScript(from, to)) return false;
  if (!isFresh(from, to)) return false;
  // With equal default texts Idiomorph leaves the box alone.
  if (from instanceof HTMLTextAreaElement && !isField(from)) to.textContent = from.textContent;
  return true;
}

/** A dialog stays as long as it is open, even where there is nothing more to decide. */
function beforeNodeRemoved(node: Node): boolean {
  return !(node instanceof Element && (isOpenDialog(node) || node.querySelector('dialog[open]') !== null));
}

function isOpenDialog(element: Element): boolean {
  return element instanceof HTMLDialogElement && element.open;
}

/** Whether it is in a form that is shown anew until somebody writes in it, and then belongs to them. */
function isField(element: Element): boolean {
  return element.closest('form[data-fields]') !== null;
}

/** A button that was labelled is its own only while the page still has that button there. */
function isOfThisScript(element: HTMLElement, { dataset: to }: HTMLElement): boolean {
  const { dataset: from } = element;
  if (from['feed'] !== undefined || from['written'] !== undefined || isOpenDialog(element)) return true;
  return from['label'] !== undefined && from['label'] === to['label'];
}

/** Whether it is to be replaced: a time that is the same keeps the age that this script shows. */
function isFresh(from: Node, to: Node): boolean {
  return !(from instanceof HTMLTimeElement && to instanceof HTMLTimeElement && from.dateTime === to.dateTime);
}

/** What a person or this script has set since the page was rendered. */
function beforeAttributeUpdated(name: string, element: Element, change: 'update' | 'remove'): boolean {
  if (element instanceof HTMLInputElement && isSet(element)) return name !== 'value' && name !== 'checked';
  if (element instanceof HTMLOptionElement) return name !== 'selected';
  if (element instanceof HTMLTextAreaElement) return name !== 'value' || isField(element);
  if (element instanceof HTMLDetailsElement) return name !== 'open';
  return !(change === 'remove' && name === 'aria-busy');
}

/** Whether somebody has chosen it or written in it, and has not sent it yet. */
function isSet({ value, defaultValue, checked, defaultChecked }: HTMLInputElement): boolean {
  return value !== defaultValue || checked !== defaultChecked;
}

/** Replaces each time on the page with its age; the time itself becomes the title. */
export function showAges(): void {
  for (const time of document.querySelectorAll('time')) {
    const at = Date.parse(time.dateTime);
    if (Number.isNaN(at)) continue;
    if (time.title === '') time.title = time.textContent;
    const age = 'countdown' in time.dataset ? countdownText(at) : ageText(at);
    if (time.textContent !== age) time.textContent = age;
  }
}

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;
const format = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

function ageText(at: number): string {
  const seconds = (at - Date.now()) / 1000;
  const unit = units.find(([, length]) => Math.abs(seconds) >= length);
  if (unit === undefined) return seconds > 5 ? 'in less than a minute' : 'just now';
  const [name, length] = unit;
  return format.format(Math.trunc(seconds / length), name);
}

/** `in 9 min 5 s`; what is longer away needs no seconds. */
function countdownText(at: number): string {
  const seconds = Math.ceil((at - Date.now()) / 1000);
  if (seconds <= 0) return 'now';
  if (seconds >= 3600) return ageText(at);
  return seconds < 60 ? `in ${seconds} s` : `in ${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Finds an element that the layout puts on every page. */
export function elementWithId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`could not find #${id} on this page`);
  return found;
}
