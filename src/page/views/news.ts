import { type Html, html, time, type Value } from '../../html/html.ts';
import type { Progress, RecentCall, VerifierProgress } from '../../steering/shapes/agent-progress.ts';
import { costText, durationText } from '../../text/amounts.ts';
import { visible } from '../../text/characters.ts';
import { callsText, said, stageText } from '../../words/index.ts';

/** What an agent does, or that nothing is known of it: in the page, and in each event for its script. */
export function newsOf(progress: Progress | null): Html {
  if (progress === null)
    return html`<p class="muted">There is nothing to show here: it has only just started or ended, or another process is doing the work.</p>`;
  const { stage, since, near, last, verifiers = [] } = progress;
  const saying = visible(progress.saying).trim();
  return html`<p class="muted">${factsOf(progress).join(' · ')} · begun ${time(since)}</p>
${near.map((sentence) => html`<p class="near">${sentence.replaceAll('`', '')}</p>`)}
<ol class="calls">${last.map(callItem)}</ol>
<ol class="calls">${stage === 'verifiers' && verifiers.map(verifierItem)}</ol>
${saying !== '' && html`<pre class="saying" tabindex="0">${saying}</pre>`}`;
}

function factsOf(progress: Progress): readonly string[] {
  return said([stageText(progress), callsText(progress.calls), costText(progress.cost)]);
}

function callItem({ title, command, outcome }: RecentCall): Html {
  return item(marks[outcome ?? 'open'], html` <code>${visible(command ?? title)}</code>`);
}

function verifierItem({ name, required, since, result }: VerifierProgress): Html {
  const shown = visible(name);
  if (result === undefined && since === undefined)
    return item({ mark: '·', outcome: 'not started', tone: 'neutral' }, ` ${shown}, not started`);
  if (result === undefined) return item(marks.open, html` ${shown}, running, started ${time(since ?? '')}`);
  const { success, duration_s } = result;
  const outcome = success ? 'passed' : required ? 'failed' : 'failed, which is not required';
  const { mark, tone } = success ? marks.ok : marks.failed;
  const shade = success || required ? tone : 'warning';
  return item({ mark, outcome, tone: shade }, ` ${shown}, ${outcome}, ${durationText(duration_s)}`);
}

interface Mark {
  readonly mark: string;
  /** What the mark means, for those who do not see it. */
  readonly outcome: string;
  readonly tone: 'success' | 'danger' | 'warning' | 'neutral';
}

const marks: Readonly<Record<NonNullable<RecentCall['outcome']> | 'open', Mark>> = {
  ok: { mark: '✓', outcome: 'done', tone: 'success' },
  failed: { mark: '✗', outcome: 'failed', tone: 'danger' },
  denied: { mark: '⊘', outcome: 'denied', tone: 'warning' },
  unknown: { mark: '?', outcome: 'ended', tone: 'neutral' },
  open: { mark: '…', outcome: 'running', tone: 'neutral' },
};

function item({ mark, outcome, tone }: Mark, content: Value): Html {
  return html`<li><span class="verdict tone-${tone}" title="${outcome}">${mark}</span>${content}</li>`;
}
