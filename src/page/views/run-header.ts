import { isOurLabel } from '../../github/names.ts';
import { asItStands, decisionCheck, literal, pauseText, scoreText } from '../../github/words/index.ts';
import type { GateHit } from '../../steering/attempt-result.ts';
import {
  type AskedPermission,
  type DueWork,
  type HeldWork,
  isAwaitingChecks,
  shownPhase,
} from '../../steering/standing.ts';
import type { State } from '../../steering/state.ts';
import { shortSha } from '../../steering/words/short-sha.ts';
import { visible } from '../../text/visible.ts';
import { type Html, html } from '../html.ts';
import type { RunModel } from '../load/run.ts';
import { type IssueRoute, pathOf } from '../routes.ts';
import { badge, bandBadge, phaseBadge, section, time } from './components.ts';
import { riskBadge, supersededEvidence } from './evidence.ts';

/** What the run is for, where it stands, and links to the sections of its page. */
export function pageHeader({ route, pull, state }: RunModel): Html {
  const kind = pull.merged ? 'merged' : !pull.open ? 'closed' : pull.draft ? 'draft' : 'ready for review';
  // The phase says what the labels of ours say, and says it earlier.
  const labels = pull.labels.filter((label) => !isOurLabel(label));
  const links = sectionLinks.map(([id, text]) => html`<a href="#${id}">${text}</a>`);
  return html`<header class="page-header">
<p class="crumbs"><a href="/">Runs</a> / ${route.owner}/${route.repo}${'value' in state && issueLink(route, state.value)}</p>
<h1>${pull.title} <span class="number">#${route.number}</span></h1>
<div class="facts"><p id="phase" role="status" aria-live="polite">
${'value' in state ? phase(state.value) : badge('state unknown')}</p>
<p>${'value' in state && trustBadges(state.value)} ${badge(kind)} ${labels.map((label) => badge(label))}
</p></div>
<nav class="section-links" aria-label="On this page">${links}</nav>
</header>`;
}

const sectionLinks = [
  ['commands', 'Commands'],
  ['policy', 'Missing'],
  ['verifiers', 'Verifiers'],
  ['confidence', 'Confidence'],
  ['gates', 'Risk'],
  ['iterations', 'Iterations'],
  ['changes', 'Changes'],
  ['conversation', 'Conversation'],
  ['history', 'History'],
] as const;

/** To the issue that the run was started from. */
function issueLink(route: IssueRoute, { run }: State): Html | false {
  if (run.issue === null) return false;
  const path = pathOf({ ...route, page: 'issues', number: run.issue });
  return html` / for <a href="${path}">issue #${run.issue}</a>`;
}

function phase(state: State): Html {
  return html`${phaseBadge(shownPhase(state))} <span>${phaseSentence(state)}</span>`;
}

/** The risk stands beside the confidence, which says nothing of it. */
function trustBadges(state: State): Html | false {
  const { shown } = state;
  if (shown === null) return false;
  const { score, band } = shown.confidence;
  const superseded = supersededEvidence(state);
  if (superseded === undefined) return html`${bandBadge(score, band)} ${riskBadge(shown)}`;
  return badge(`iteration ${superseded.iteration}: ${scoreText(score)} ${band}`);
}

/** Where the run stands, in a sentence that is true as long as the phase lasts. */
export function phaseSentence(state: State): string {
  const { standing, iteration, head } = state;
  switch (standing.phase) {
    case 'queued':
      return dueText(standing, state);
    case 'working':
      if (standing.asking !== undefined) return decisionCheck(state, '').title;
      return standing.held === undefined
        ? `Iteration ${iteration}, attempt ${state.attempt} is at work`
        : 'The allowed work is being put on the branch';
    case 'verifying':
      if (isAwaitingChecks(standing)) return `CI has still to check ${shortSha(head)}`;
      return standing.undoes === undefined
        ? `The verifiers are checking ${shortSha(head)}`
        : `It is going back to iteration ${standing.undoes.to}`;
    case 'awaiting_resolution':
      return ['It cannot go on without a human', asItStands(state, literal)]
        .filter((part) => part !== '')
        .join('; ');
    case 'awaiting_approval':
    case 'awaiting_permission':
    case 'paused':
    case 'approved':
    case 'done':
    case 'rejected':
    case 'cancelled':
    case 'timed_out':
    case 'failed':
      return decisionCheck(state, '').title;
  }
}

/** It begins at once, unless all places are taken or no process is there to do it. */
function dueText(due: DueWork, { iteration, attempt, head }: State): string {
  if ('undoes' in due && due.undoes !== undefined)
    return `It goes back to iteration ${due.undoes.to} as soon as there is room`;
  switch (due.work) {
    case 'attempt':
      return `Iteration ${iteration}, attempt ${attempt + 1} begins as soon as there is room`;
    case 'verify_attempt':
    case 'verify_head':
      return `The verifiers check ${shortSha(head)} as soon as there is room`;
    case 'land':
      return 'The allowed work is put on the branch as soon as there is room';
  }
}

/** Why the run is in its phase, where the phase alone does not say it. */
export function phaseDetails({ standing }: State): Html | false {
  const reason = reasonFor(standing);
  return reason !== undefined && section('phase-details', reason.title, reason.content);
}

function reasonFor(standing: State['standing']) {
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
