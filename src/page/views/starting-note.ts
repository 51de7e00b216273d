import { type Html, html } from '../html.ts';
import type { Conversation } from '../load/conversation.ts';
import type { Loaded } from '../load/loaded.ts';

/** When a run was asked for and what time it is now, in seconds since 1970. */
export interface Start {
  readonly at: number;
  readonly now: number;
}

/** Coxswain usually answers within a few seconds. */
const patienceSeconds = 60;

/** `answered`: Coxswain has said something there since, but there is no run. */
type Progress = { readonly is: 'starting' | 'late' } | { readonly is: 'answered'; readonly comment: string };

/** Whether a run may still come of the request, so that it need not be asked for again. */
export function isStarting(start: Start | null, conversation: Loaded<Conversation>): boolean {
  return start !== null && progressOf(start, conversation).is === 'starting';
}

function progressOf({ at, now }: Start, conversation: Loaded<Conversation>): Progress {
  const comments = 'value' in conversation ? conversation.value.comments : [];
  const answer = comments.findLast((comment) => comment.bot && Date.parse(comment.at) >= at * 1000);
  if (answer !== undefined) return { is: 'answered', comment: answer.id };
  return { is: now - at > patienceSeconds ? 'late' : 'starting' };
}

/** What has become of the request for a run, as long as there is none. */
export function startingNote(start: Start, conversation: Loaded<Conversation>): Html {
  const text = textFor(start, progressOf(start, conversation));
  return html`<div id="starting" class="notice" role="status" aria-live="polite">${text}</div>`;
}

function textFor({ at }: Start, progress: Progress): Html {
  switch (progress.is) {
    case 'answered':
      return html`<p><b>Coxswain answered.</b> <a href="#${progress.comment}">Read its answer</a>; no run is under way.</p>`;
    case 'late':
      return html`<p><b>Nothing has started yet.</b> The request is on GitHub; is the App running, and do its webhooks arrive?</p>`;
    case 'starting':
      return html`<p><b>Starting…</b> The request is on GitHub, and this page leads to the run as soon as there is one.
Without scripts, <a href="?started=${at}">look again</a>.</p>`;
  }
}
