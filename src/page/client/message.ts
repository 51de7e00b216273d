import { elementWithId } from './element.ts';

const successMs = 4000;

let timer = 0;

/** Disappears by itself. */
export function showSuccess(text: string): void {
  write(text, false);
  timer = setTimeout(hideMessage, successMs);
}

/** Stays until it is clicked, or another message comes. */
export function showProblem(text: string): void {
  write(text, true);
}

export function hideMessage(): void {
  write('', false);
}

export function isMessage(target: Node): boolean {
  return elementWithId('message').contains(target);
}

function write(text: string, isProblem: boolean): void {
  clearTimeout(timer);
  const message = elementWithId('message');
  message.classList.toggle('problem', isProblem);
  message.textContent = text;
}
