import { format } from '../vendor/money.js';

/** The last line of a receipt. */
export function totalLine(cents) {
  return `Total: ${format(cents, 'EUR')}`;
}
