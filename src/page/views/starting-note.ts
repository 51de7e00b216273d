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

/** What has become of the request for a run, as long as there is none: it leads to the run once that exists. */
export function startingNote(start: Start, conversation: Loaded<Conversation>): Html {
  return html`<div id="starting" class="notice" role="status" aria-live="polite">${textFor(start, conversation)}</div>`;
}

function textFor({ at, now }: Start, conversation: Loaded<Conversation>): Html {
  const comments = 'value' in conversation ? conversation.value.comments : [];
  const answer = comments.findLast((comment) => comment.bot && Date.parse(comment.at) >= at * 1000);
  if (answer !== undefined)
    return html`<p><b>Coxswain answered.</b> <a href="#${answer.id}">Read its answer</a>; no run is under way.</p>`;
  if (now - at > patienceSeconds)
    return html`<p><b>Nothing has started yet.</b> The request is on GitHub; is the App running, and do its webhooks arrive?</p>`;
  return html`<p><b>Starting…</b> The request is on GitHub, and this page leads to the run as soon as there is one.
Without scripts, <a href="?started=${at}">look again</a>.</p>`;
}
