import { pauseText } from '../../github/words/index.ts';
import type { GateHit } from '../../steering/attempt-result.ts';
import type { AskedPermission, HeldWork } from '../../steering/standing.ts';
import type { State } from '../../steering/state.ts';
import { shortSha } from '../../steering/words/short-sha.ts';
import { visible } from '../../text/visible.ts';
import { type Html, html } from '../html.ts';
import { section, time } from './components.ts';

/** Why the run is in its phase, where the phase alone does not say it. */
export function phaseDetails({ standing }: State): Html | false {
  const reason = reasonFor(standing);
  return reason !== undefined && section('phase-details', reason.title, reason.content);
}

interface Reason {
  readonly title: string;
  readonly content: Html;
}

function reasonFor(standing: State['standing']): Reason | undefined {
  switch (standing.phase) {
    case 'awaiting_permission':
      return { title: 'Why it needs permission', content: heldDetails(standing.held) };
    case 'awaiting_resolution':
      return { title: 'Why it needs a human', content: quotation(standing.interrupt.failure_reason) };
    case 'paused':
      return { title: 'Why it is paused', content: html`<p>${pauseText(standing)}</p>` };
    case 'rejected':
      return { title: `Rejected by ${standing.by}`, content: quotation(standing.reason) };
    case 'cancelled': {
      // Who uses `/cancel` gives no reason.
      if (standing.reason === 'cancelled') return undefined;
      const title = standing.by === null ? 'Cancelled' : `Cancelled by ${standing.by}`;
      return { title, content: quotation(standing.reason) };
    }
    case 'timed_out': {
      const deadline = time(standing.before.deadline);
      return { title: 'Timed out', content: html`<p>It waited for a human until ${deadline}.</p>` };
    }
    case 'failed': {
      if (standing.because === 'configuration')
        return { title: 'The configuration cannot be used', content: quotation(standing.what) };
      const where = html`<p>Search the log for <code>${standing.reference}</code>.</p>`;
      return { title: 'Internal error in Coxswain', content: html`${quotation(standing.what)}${where}` };
    }
    case 'working': {
      const { asking } = standing;
      return asking && { title: 'What the agent asks for', content: askedDetails(asking) };
    }
    case 'queued':
    case 'verifying':
    case 'awaiting_approval':
    case 'approved':
    case 'done':
      return undefined;
  }
}

function heldDetails({ work, hits, kept }: HeldWork): Html {
  const where = kept === null ? 'only on the machine that made it' : kept;
  return html`<p>Pushed work is run by the CI of the repository. ${work.changes.summary}, held because of:</p>
${hitList(hits)}
<p>It is kept as <code>${shortSha(work.head)}</code> (${where}).</p>`;
}

/** All of a call, because it can be allowed on this page: a title elsewhere may be cut. */
function askedDetails({ call, until }: AskedPermission): Html {
  const { command, kind, title, paths = [], hits } = call;
  const files = paths.map((path) => html`<li><code>${visible(path)}</code></li>`);
  const what =
    command === undefined
      ? html`<p><b>${visible(kind)}</b>: ${visible(title)}</p><ul>${files}</ul>`
      : html`<pre class="preserve-lines" tabindex="0">${visible(command)}</pre>`;
  return html`${what}${hits.length > 0 && hitList(hits)}<p>The agent waits until ${time(until)}.</p>`;
}

function hitList(hits: readonly GateHit[]): Html {
  return html`<ul>${hits.map(
    ({ rule, evidence }) => html`<li><code>${rule}</code>: ${visible(evidence)}</li>`,
  )}</ul>`;
}

/** Text of agents, verifiers and people, as they wrote it. */
function quotation(text: string): Html {
  return html`<p class="preserve-lines">${visible(text)}</p>`;
}
