import { elementWithId } from './element.ts';

const successMs = 4000;

let timer = 0;

/** Shows a message that disappears by itself. */
export function showSuccess(text: string): void {
  write(text, false);
  timer = setTimeout(hideMessage, successMs);
}

/** Shows a message that stays until it is clicked or replaced. */
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
