import type { Progress } from '../../steering/progress.ts';
import { noNews, progressLines } from '../progress-lines.ts';
import { showIn } from './content.ts';
import { elementOf } from './element.ts';

const lookEveryMs = 1000;
const retryMs = 5000;

/**
 * Shows what an agent does while its run is on the page and the page is looked at: browsers allow few
 * connections to one server, and a page in the background would keep one of them.
 */
export class LiveFeed {
  #source: EventSource | undefined;
  #path: string | undefined;
  #refusedAt = Number.NEGATIVE_INFINITY;

  constructor() {
    setInterval(() => this.look(), lookEveryMs);
  }

  /** Begins, goes on or ends, as the page is now. */
  look(): void {
    const path = document.hidden ? undefined : feedPlace()?.dataset['feed'];
    const isRefused = this.#source?.readyState === EventSource.CLOSED;
    if (isRefused) {
      this.#refusedAt = performance.now();
      show([muted(noAnswer)]);
    }
    if (path === this.#path && !isRefused) return;
    this.#source?.close();
    const rests = performance.now() - this.#refusedAt < retryMs;
    this.#path = rests ? undefined : path;
    this.#source = this.#path === undefined ? undefined : open(this.#path);
  }
}

function open(path: string): EventSource {
  const source = new EventSource(path);
  source.addEventListener('progress', ({ data }: MessageEvent<string>) => {
    // What our own server sent.
    const progress = JSON.parse(data) as Progress | null;
    show(progress === null ? [muted(noNews)] : newsOf(progress));
  });
  return source;
}

function show(news: readonly HTMLElement[]): void {
  const place = feedPlace();
  if (place !== null) showIn(place, news);
}

function feedPlace(): HTMLElement | null {
  return document.querySelector<HTMLElement>('[data-feed]');
}

const noAnswer = 'Coxswain does not say what it does just now; retrying…';

function muted(text: string): HTMLElement {
  return elementOf('p', { className: 'muted' }, text);
}

/** The same as the server renders, for a browser without scripts. */
function newsOf(progress: Progress): readonly HTMLElement[] {
  const { since, facts, near, calls, saying, verifiers } = progressLines(progress);
  const begun = elementOf('time', { dateTime: since }, since);
  const items = calls.map(({ mark, outcome, tone, text }) => {
    const verdict = elementOf('span', { className: `verdict tone-${tone}`, title: outcome }, mark);
    return elementOf('li', {}, verdict, ' ', elementOf('code', {}, text));
  });
  const each = verifiers.map(({ mark, outcome, tone, text, since: running }) => {
    const verdict = elementOf('span', { className: `verdict tone-${tone}`, title: outcome }, mark);
    const age = running === undefined ? [] : [elementOf('time', { dateTime: running }, running)];
    return elementOf('li', {}, verdict, ` ${text}`, ...age);
  });
  return [
    elementOf('p', { className: 'muted' }, `${facts.join(' · ')} · begun `, begun),
    ...near.map((sentence) => elementOf('p', { className: 'near' }, sentence)),
    elementOf('ol', { className: 'calls' }, ...items),
    elementOf('ol', { className: 'calls' }, ...each),
    ...(saying === '' ? [] : [elementOf('pre', { className: 'saying', tabIndex: 0 }, saying)]),
  ];
}
