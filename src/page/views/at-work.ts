import { awaitedLines } from '../../github/words/index.ts';
import type { Progress } from '../../steering/progress.ts';
import { isAwaitingChecks, isLeased, type Leased } from '../../steering/standing.ts';
import type { State } from '../../steering/state.ts';
import { type Html, html } from '../html.ts';
import { noNews, progressLines } from '../progress-lines.ts';
import { type IssueRoute, pathOf } from '../routes.ts';
import { section, time } from './components.ts';

/** What a view knows of an agent at work; `script`: the page's script shows it as it comes. */
export type News = Progress | null | 'script';

/**
 * The agent at work. Only the sentence is announced to people who listen to the page: it changes rarely. The
 * element with `data-feed` belongs to the script, which no refresh replaces.
 */
export function atWork(route: IssueRoute, state: State, news: News): Html | false {
  const { standing } = state;
  if (isAwaitingChecks(standing)) return waiting(state);
  if (!isLeased(standing)) return false;
  const feed = pathOf(route, 'progress');
  return section(
    'at-work',
    'At work',
    html`<p role="status" aria-live="polite">${sentenceFor(standing)}</p>
<div id="at-work-news" data-feed="${feed}">${news !== 'script' && newsText(news)}</div>`,
  );
}

/** Nobody is at work here, but CI is, or will be. */
function waiting(state: State): Html {
  const lines = awaitedLines(state).map((line) => html`<li>${line}</li>`);
  return section('at-work', 'At work', html`<p role="status">CI is waited for.</p><ul>${lines}</ul>`);
}

/** What holds for as long as the standing does; the news say whether the setup or the agent runs. */
function sentenceFor(standing: Leased): string {
  if (standing.phase === 'verifying') return 'The verifiers are running.';
  if (standing.asking !== undefined) return 'The agent waits for permission.';
  return standing.held === undefined ? 'An attempt is in progress.' : 'The allowed work is being pushed.';
}

/** The same as the script builds from what it is told. */
function newsText(progress: Progress | null): Html {
  if (progress === null) return html`<p class="muted">${noNews}</p>`;
  const { since, facts, near, calls, saying, verifiers } = progressLines(progress);
  return html`<p class="muted">${facts.join(' · ')} · begun ${time(since)}</p>
${near.map((sentence) => html`<p class="near">${sentence}</p>`)}
<ol class="calls">${calls.map(
    ({ mark, outcome, tone, text }) =>
      html`<li><span class="verdict tone-${tone}" title="${outcome}">${mark}</span> <code>${text}</code></li>`,
  )}</ol>
<ol class="calls">${verifiers.map(
    (each) =>
      html`<li><span class="verdict tone-${each.tone}" title="${each.outcome}">${each.mark}</span> ${each.text}${
        each.since !== undefined && time(each.since)
      }</li>`,
  )}</ol>
${saying !== '' && html`<pre class="saying" tabindex="0">${saying}</pre>`}`;
}
