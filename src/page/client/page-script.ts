import { keepDraft, restoreDrafts } from './drafts.ts';
import { handleKeys } from './keys.ts';
import { showAges, showIn } from './page-content.ts';
import { handleForms, labelCommands } from './post-forms.ts';
import { Refresher } from './refresher.ts';

/**
 * The page's script: keeps what is shown fresh, follows an agent at work, posts forms without leaving the
 * page, leads to what is used most by single keys, and shows ages.
 */

/**
 * Shows what an agent does while its run is on the page and the page is looked at: browsers allow few
 * connections to one server, and a page in the background would keep one of them.
 */
class LiveFeed {
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
      show(noAnswer);
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
    // What our own server has drawn, as it drew the page.
    show(JSON.parse(data) as string);
  });
  return source;
}

function show(news: string): void {
  const place = feedPlace();
  if (place !== null) showIn(place, news);
}

function feedPlace(): HTMLElement | null {
  return document.querySelector<HTMLElement>('[data-feed]');
}

const noAnswer = '<p class="muted">Coxswain is not reporting its progress right now; retrying…</p>';

const agesEveryMs = 1000;

const lookEveryMs = 1000;
const retryMs = 5000;

/** Opens and closes dialogs, and notes which forms somebody has written in: no refresh replaces those. */
function handleDialogs(refresher: Refresher): void {
  document.addEventListener('click', (event) => {
    const { target } = event;
    if (!(target instanceof Element)) return;
    const id = target.closest<HTMLElement>('[data-dialog]')?.dataset['dialog'];
    const dialog = id === undefined ? null : document.getElementById(id);
    if (dialog instanceof HTMLDialogElement) {
      event.preventDefault();
      dialog.showModal();
    }
    if (target.closest('[data-close]') !== null) target.closest('dialog')?.close();
  });
  document.addEventListener('input', ({ target }) => {
    const form = target instanceof Element && target.closest<HTMLFormElement>('form[data-fields]');
    if (!form) return;
    form.dataset['written'] = '';
    keepDraft(form);
  });
  void restoreDrafts();
  // What has changed meanwhile was not shown in it. The event does not bubble.
  document.addEventListener(
    'close',
    () => {
      refresher.discardEtag();
      return refresher.refresh();
    },
    true,
  );
}

const refresher = new Refresher();
handleForms(refresher);
handleDialogs(refresher);
handleKeys();
labelCommands();
const feed = new LiveFeed();
document.addEventListener('visibilitychange', () => {
  feed.look();
  return refresher.refresh();
});
feed.look();
setInterval(showAges, agesEveryMs);
showAges();
