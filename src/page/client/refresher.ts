import { fragmentType } from './fragment-type.ts';
import { alertIn, elementWithId, showFragment } from './page-content.ts';

const intervalMs = 1000;
const maxIntervalMs = 10_000;
const timeoutMs = 20_000;
/** What was written stays on the page. */
export const signedOut =
  'You are no longer signed in: open this page in another tab and sign in there, then continue here with what you have written.';
const unreachable = 'Coxswain is not responding. This page may be out of date; retrying…';

/**
 * Pages that answer something which was sent once: where people come in and leave, and a batch. To ask for
 * them again would be another attempt.
 */
const isAnswer = /^\/(sign-in|sign-in\/callback|sign-out|batch|batch\/say)$/.test(location.pathname);

/** Reads the page again every second, more slowly while that fails, and not at all while it is hidden. */
export class Refresher {
  #etag = '';
  #waitMs = intervalMs;
  #timer = setTimeout(() => this.refresh(), intervalMs);
  /** Whether this page says how to get in, to nobody in particular. */
  #isOutside = false;
  /** Counts requests and pauses: a response that was overtaken by either is not shown. */
  #latest = 0;

  /** Refreshes now instead of when it is next due. */
  async refresh(): Promise<void> {
    this.pause();
    if (document.hidden || isAnswer) return;
    const current = this.#latest;
    const problem = await this.#load(current);
    if (current !== this.#latest) return;
    showConnection(problem);
    this.#schedule(problem === '' ? intervalMs : Math.min(this.#waitMs * 2, maxIntervalMs));
  }

  /** Stops refreshing, and ignores the response to a request in progress. */
  pause(): void {
    this.#latest += 1;
    clearTimeout(this.#timer);
  }

  /** Starts refreshing again with the usual interval. */
  resume(): void {
    this.#schedule(intervalMs);
  }

  /** Has to be called after other content is shown, so that the next response is not 304. */
  discardEtag(): void {
    this.#etag = '';
  }

  /** Returns the problem, or an empty string. */
  async #load(current: number): Promise<string> {
    try {
      const response = await request(this.#etag);
      if (response.status === 304) return '';
      if (response.status === 401) {
        this.#isOutside = document.querySelector('.person') === null;
        if (hasWords()) return signedOut;
        // Loaded every second, nobody could reach the way in by keyboard.
        if (!this.#isOutside) location.reload();
        return '';
      }
      // What was asked for here is somewhere else by now.
      if (response.redirected) {
        location.replace(response.url);
        return '';
      }
      const text = await response.text();
      if (!response.ok) return alertIn(text) || "Coxswain can't show this page right now.";
      if (current !== this.#latest) return '';
      // Somebody has signed in elsewhere: what is around the `<main>` is of another page too.
      if (this.#isOutside) location.reload();
      this.#etag = response.headers.get('etag') ?? '';
      showFragment(text);
      return '';
    } catch {
      return unreachable;
    }
  }

  #schedule(ms: number): void {
    this.#waitMs = ms;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.refresh(), ms);
  }
}

function request(etag: string): Promise<Response> {
  const headers = { accept: fragmentType, ...(etag === '' ? {} : { 'if-none-match': etag }) };
  return fetch(location.href, { headers, cache: 'no-store', signal: AbortSignal.timeout(timeoutMs) });
}

/** Whether somebody has written something that a reload would lose. */
function hasWords(): boolean {
  const boxes = [...document.querySelectorAll('textarea')];
  return (
    document.querySelector('[data-written]') !== null ||
    boxes.some(({ value, defaultValue }) => value !== defaultValue)
  );
}

function showConnection(problem: string): void {
  const connection = elementWithId('connection');
  connection.textContent = problem;
  connection.hidden = problem === '';
}
