import type { Settled } from '../../doors/speech/batch.ts';
import { type Html, html } from '../../html/html.ts';
import { counted } from '../../text/amounts.ts';
import { phaseSentence } from '../../words/index.ts';
import { pathOf } from '../load/page-routes.ts';
import { badge, externalLink, prose, section, shaCode, table } from '../views/components.ts';
import { type Batch, type Chosen, chosenText, type LeftOutRun, type PageDraft } from './load-batch.ts';

/** What will be said to which commit, and what is left out and why; a button then says it. */
export function batchReview(batch: Batch, all: readonly (PageDraft | LeftOutRun)[]): Html {
  const ready = all.filter((each) => 'text' in each);
  const left = all.filter((each) => 'why' in each);
  return html`<h1>/${batch.command} on ${counted(ready.length, 'run')}</h1>
${ready.length > 0 ? sayForm(batch, ready) : html`<p class="notice">Nothing can be said on these runs together.</p>`}
${left.length > 0 && section('left-out', 'Left out', html`<ul class="rows">${left.map(leftOutRow)}</ul>`)}
<p><a href="/">Back to the inbox</a></p>`;
}

/** Results come while it is answered, which a script that fetches the answer as a whole would not show. */
function sayForm({ command, reason }: Batch, ready: readonly PageDraft[]): Html {
  const isDanger = command === 'reject' || command === 'abandon';
  const on = ready.length === 1 ? 'this run' : `these ${ready.length} runs`;
  return html`<form class="card" method="post" action="/batch/say" id="batch-form" data-plain>
<input type="hidden" name="command" value="${command}">
<input type="hidden" name="reason" value="${reason}">
${ready.map(({ chosen }) => html`<input type="hidden" name="run" value="${fieldOf(chosen)}">`)}
${table('What will be posted as you', ['Run', 'Commit', 'Risk', 'Comment'], ready.map(readyRow))}
<p class="muted">One after the other, a second apart: each only if it is still as it is shown here. If you leave the page, the rest is not said.</p>
<div class="buttons"><button class="${isDanger ? 'danger' : 'primary'}">Say /${command} on ${on}</button></div>
</form>`;
}

function readyRow({ chosen, report, text }: PageDraft): Html {
  return html`<tr><td>${runLink(chosen)}<br>${report.title}</td><td>${shaCode(report.head_sha)}</td>
<td>${report.approval_request?.risk_level}</td><td class="preserve-lines"><code>${text}</code></td></tr>`;
}

/** A run on which nothing is said; it stands in a list. */
export function leftOutRow({ chosen, why }: LeftOutRun): Html {
  return html`<li class="row"><div class="row-main">${runLink(chosen)} ${shaCode(chosen.head_sha)}${prose(why)}</div></li>
`;
}

/** What came of it on one run, as soon as that is known; the rows stand in a list. */
export function settledRow(settled: Settled<PageDraft>): Html {
  const { draft } = settled;
  const [text, tone] = statusTexts[settled.status];
  return html`<li class="row"><div class="row-main">${runLink(draft)} ${shaCode(draft.report.head_sha)}${outcome(settled)}</div>
<p class="row-side">${badge(text, tone)}</p></li>
`;
}

const statusTexts = {
  accepted: ['settled', 'success'],
  refused: ['refused', 'danger'],
  posted: ['not taken up yet', 'warning'],
  left_out: ['left out', 'neutral'],
} as const;

function outcome(settled: Settled<PageDraft>): Html | false {
  switch (settled.status) {
    case 'accepted':
      return html`<p>${phaseSentence(settled.state)}</p>`;
    case 'refused':
      return prose(settled.reply === '' ? 'It was not taken up.' : settled.reply);
    case 'posted':
      return html`<p>${externalLink(settled.comment, 'The comment')} is posted.</p>`;
    case 'left_out':
      return prose(settled.why);
  }
}

/** Stands below the last row: `3 settled, 1 left out`. */
export function settledSummary(all: readonly Pick<Settled<PageDraft>, 'status'>[]): Html {
  const parts = statuses.flatMap((status) => {
    const count = all.filter((each) => each.status === status).length;
    return count === 0 ? [] : [`${count} ${statusTexts[status][0]}`];
  });
  return html`<p role="status">${parts.join(', ')}. <a href="/">Back to the inbox</a></p>`;
}

const statuses = ['accepted', 'refused', 'posted', 'left_out'] as const;

function runLink({ place: { owner, repo, number } }: Pick<Chosen, 'place'>): Html {
  return html`<a class="title" href="${pathOf({ page: 'pull', owner, repo, number })}">${owner}/${repo}#${number}</a>`;
}

function fieldOf({ place: { owner, repo, number }, ...rest }: Chosen): string {
  return chosenText({ run: `${owner}/${repo}#${number}`, ...rest });
}
