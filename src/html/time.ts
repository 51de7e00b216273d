import { type Html, html } from './html.ts';

/** A point in time; the page's script replaces it with its age. */
export function time(at: string): Html {
  return html`<time datetime="${at}">${dateText(at)}</time>`;
}

/** A point in time that is waited for; the page's script shows how long it still is, to the second. */
export function countdown(at: string): Html {
  return html`<time datetime="${at}" data-countdown>${dateText(at)}</time>`;
}

/** `21 Nov 2025, 22:25 UTC`; text that is not a date is left unchanged. */
export function dateText(at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return at;
  const [, day = '', month = '', year = '', clock = ''] = date.toUTCString().split(' ');
  return `${Number(day)} ${month} ${year}, ${clock.slice(0, 5)} UTC`;
}
