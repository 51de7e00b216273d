import { Idiomorph } from 'idiomorph';

/** Shows what has changed, without touching what somebody types, has opened or has focused. */

const intervalMs = 1500;
const maxIntervalMs = 15_000;

let etag = '';
let waitMs = intervalMs;
let timer: ReturnType<typeof setTimeout> | undefined;

async function refresh(): Promise<void> {
  clearTimeout(timer);
  // A page with a text that belongs to one version must not mix it with another one.
  if (document.querySelector('main[data-still]') !== null) return;
  if (document.hidden) return;
  const isUp = await load();
  waitMs = isUp ? intervalMs : Math.min(waitMs * 2, maxIntervalMs);
  const connection = document.getElementById('connection');
  if (connection !== null) connection.hidden = isUp;
  timer = setTimeout(refresh, waitMs);
}

/** Whether the forge answered. */
async function load(): Promise<boolean> {
  try {
    const headers = { accept: 'text/html', ...(etag === '' ? {} : { 'if-none-match': etag }) };
    const response = await fetch(location.href, { headers, cache: 'no-store' });
    if (response.status === 304) return true;
    if (response.status === 401) location.reload();
    if (!response.ok) return response.status < 500;
    const text = await response.text();
    etag = response.headers.get('etag') ?? '';
    show(new DOMParser().parseFromString(text, 'text/html'));
    return true;
  } catch {
    return false;
  }
}

function show(fresh: Document): void {
  document.title = fresh.title;
  for (const id of ['header', 'main']) {
    const [from, to] = [document.getElementById(id), fresh.getElementById(id)];
    if (from === null || to === null) continue;
    const callbacks = { beforeNodeMorphed, beforeAttributeUpdated, beforeNodeRemoved };
    // It returns a promise only when it waits for scripts and styles of a head.
    void Idiomorph.morph(from, to, { callbacks });
  }
}

function beforeNodeMorphed(from: Node, to: Node): boolean {
  // With equal default texts a text box is left alone: its content belongs to the person.
  if (from instanceof HTMLTextAreaElement) to.textContent = from.textContent;
  return true;
}

/** What a person has set since the page was made; hidden fields are the page's. */
function beforeAttributeUpdated(name: string, element: Element): boolean {
  if (element instanceof HTMLDetailsElement) return name !== 'open';
  if (element instanceof HTMLInputElement) {
    return element.type === 'hidden' || !['value', 'checked'].includes(name);
  }
  if (element instanceof HTMLOptionElement) return name !== 'selected';
  return !(element instanceof HTMLTextAreaElement && name === 'value');
}

/** Why something was refused stays until the page is left. */
function beforeNodeRemoved(node: Node): boolean {
  return !(node instanceof HTMLElement && node.id === 'refusal');
}

document.addEventListener('visibilitychange', refresh);
timer = setTimeout(refresh, intervalMs);
