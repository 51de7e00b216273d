/*! money 1.4.0, MIT License */

/** A price in cents as text, such as 12.50 EUR. */
export function format(cents, currency) {
  return `${(cents / 100).toFixed(2)} ${currency}`;
}
