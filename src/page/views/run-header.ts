import { isOurLabel } from '../../github/names.ts';
import { type Html, html } from '../../html/html.ts';
import { time } from '../../html/time.ts';
import type { AskedCall, GateHit } from '../../steering/attempt-result.ts';
import { iterationShown } from '../../steering/iterations.ts';
import { askedCall } from '../../steering/permission/held-work.ts';
import { shortSha } from '../../steering/phrases/short-sha.ts';
import { reviewOf } from '../../steering/reviewing/review.ts';
import { type Blocked, type HeldWork, isAskingHuman, shownPhase } from '../../steering/standing.ts';
import type { State } from '../../steering/state.ts';
import { supersededBy } from '../../steering/superseded.ts';
import { visible } from '../../text/visible.ts';
import { callWait, literal, parkedText, pauseText, scoreText, unansweredText } from '../../words/index.ts';
import { phaseSentence } from '../../words/phases/index.ts';
import type { RunModel } from '../load/run.ts';
import { type IssueRoute, pathOf } from '../routes.ts';
import { badge, dependencyStates, phaseBadge, pullLinks, section } from './components.ts';
import { trustOf } from './evidence.ts';
import { failedTask, interruptOf, type TaskPlace } from './failed-task.ts';
import { stageOnShow } from './stage.ts';

/** What the run is for, where it stands, and links to the sections of its page. */
export function pageHeader({ route, pull, state }: RunModel): Html {
  const kind = pull.merged ? 'merged' : !pull.open ? 'closed' : pull.draft ? 'draft' : 'ready for review';
  // The phase says what the labels of ours say, and says it earlier.
  const labels = pull.labels.filter((label) => !isOurLabel(label));
  const hasReview =
    'value' in state && state.value.shown !== null && reviewOf(state.value, state.value.head) !== undefined;
  const linked = sectionLinks.filter(([id]) => id !== 'review' || hasReview);
  const links = linked.map(([id, text]) => html`<a href="#${id}">${text}</a>`);
  return html`<header class="page-header">
<p class="crumbs"><a href="/">Runs</a> / ${route.owner}/${route.repo}${'value' in state && issueLink(route, state.value)}</p>
<h1>${pull.title} <span class="number">#${route.number}</span></h1>
<div class="facts"><p id="phase" role="status" aria-live="polite">
${'value' in state ? phase(state.value) : badge('state unknown')}</p>
<p>${'value' in state && trust(state.value)} ${badge(kind)} ${labels.map((label) => badge(label))}
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
  ['review', 'Second opinion'],
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

function trust(state: State): Html | false {
  const { shown } = state;
  if (shown === null) return false;
  if (supersededBy(state) === undefined) return trustOf(shown, state);
  const { score, band } = shown.confidence;
  return badge(`iteration ${iterationShown(state)}: ${scoreText(score)} ${band}`);
}

/** Why the run is in its phase, where the phase alone does not say it. */
export function phaseDetails(state: State, place: TaskPlace): Html | false {
  const reason = askedFor(state) ?? reasonFor(state, place);
  return reason !== undefined && section('phase-details', reason.title, reason.content);
}

/** What an agent asks, whether it is held or was stopped. */
function askedFor(state: State) {
  const phase = shownPhase(state);
  if (phase === 'awaiting_answer')
    return { title: 'What the agent wants to know', content: questions(state) };
  const call = askedCall(state);
  return phase === 'awaiting_permission' && call !== undefined
    ? {
        title: 'What the agent asks for',
        content: html`${askedDetails(call)}<p>${callWait(state)}</p>${kept(state)}`,
      }
    : undefined;
}

function reasonFor(state: State, place: TaskPlace) {
  const { standing } = state;
  const interrupt = interruptOf(state);
  const failed = interrupt !== undefined && failedTask(state, interrupt, place);
  switch (standing.phase) {
    case 'awaiting_stage':
      return stageOnShow(state);
    case 'awaiting_permission':
      return 'held' in standing
        ? { title: 'Why it needs permission', content: heldDetails(standing.held) }
        : undefined;
    case 'awaiting_resolution':
      return {
        title: 'Why it needs a human',
        content: html`${failed}${kept(state)}`,
      };
    case 'paused':
      return { title: 'Why it is paused', content: html`<p>${pauseText(standing, state)}</p>${kept(state)}` };
    case 'rejected':
      return { title: `Rejected by ${standing.by}`, content: quotation(standing.reason) };
    case 'blocked':
      return { title: 'What it waits for', content: dependencies(standing, place.route) };
    case 'abandoned':
      return whyAbandoned(standing, place);
    case 'cancelled': {
      // Who uses `/cancel` gives no reason.
      if (standing.reason === 'cancelled') return undefined;
      const title = standing.by === null ? 'Cancelled' : `Cancelled by ${standing.by}`;
      return { title, content: quotation(standing.reason) };
    }
    case 'timed_out': {
      const deadline = time(standing.before.deadline);
      const asked = standing.before.phase === 'awaiting_answer' && questions(state);
      const stage = standing.before.phase === 'awaiting_stage' && stageOnShow(state).content;
      return {
        title: 'Timed out',
        content: html`<p>It waited for a human until ${deadline}.</p>${asked}${stage}${failed}`,
      };
    }
    case 'failed': {
      if (standing.because === 'configuration')
        return { title: 'The configuration cannot be used', content: quotation(standing.what) };
      const where = html`<p>Search the log for <code>${standing.reference}</code>.</p>`;
      return { title: 'Internal error in Coxswain', content: html`${quotation(standing.what)}${where}` };
    }
    case 'working':
    case 'awaiting_answer':
    case 'queued':
    case 'verifying':
    case 'awaiting_approval':
    case 'approved':
    case 'done':
      return undefined;
  }
}

function whyAbandoned({ by, reason, replaced_by }: Abandoned, { route }: TaskPlace) {
  if (replaced_by !== undefined)
    return {
      title: 'What took its place',
      content: html`<p>${pullLinks(route, replaced_by.made)}, for ${by}.</p>`,
    };
  const content = reason === '' ? html`<p>No reason was given.</p>` : quotation(reason);
  return { title: `Abandoned by ${by}`, content };
}

type Abandoned = Extract<State['standing'], { phase: 'abandoned' }>;

/** What has to be merged first, with the page of each. */
function dependencies({ on }: Blocked, place: IssueRoute): Html {
  const each = on.map(({ number, is }) => {
    const [text, tone] = dependencyStates[is];
    const path = pathOf({ ...place, page: 'issues', number });
    return html`<li id="dependency-${number}"><a href="${path}">#${number}</a> ${badge(text, tone)}</li>`;
  });
  return html`<p>It begins when all of these are merged:</p><ul class="plain">${each}</ul>
<p class="muted"><code>/resume</code> by somebody with maintain begins all the same.</p>`;
}

function heldDetails({ work, hits, kept }: HeldWork): Html {
  const where = kept === null ? 'only on the machine that made it' : kept;
  return html`<p>Pushed work is run by the CI of the repository. ${work.changes.summary}, held because of:</p>
${hitList(hits)}
<p>It is kept as <code>${shortSha(work.head)}</code> (${where}).</p>`;
}

/** The whole of each question; the buttons and the field to answer it are among the commands. */
function questions({ questions: open = [], standing, ...state }: State): Html {
  const each = open.map(({ asked, suggestion }) => {
    const { question, context = '', options = [], multiple, default: preferred } = asked;
    const list = html`${multiple && html`<p>Several may be chosen:</p>`}
<ol>${options.map((option) => html`<li>${visible(option)}</li>`)}</ol>`;
    return html`${quotation(question)}${context !== '' && quotation(context)}${options.length > 0 && list}
${preferred !== undefined && html`<p>The agent would choose: ${visible(preferred)}</p>`}
${suggestion && html`<p>Answered before, in other circumstances, by ${suggestion.by}: ${visible(suggestion.answer)}</p>`}`;
  });
  const deadline =
    isAskingHuman(standing) &&
    html`<p>If nobody answers until ${time(standing.deadline)}, ${unansweredText({ questions: open })}.</p>`;
  return html`${each}${deadline}<p><a href="#commands">Answer it</a></p>${kept(state)}`;
}

/** Where the work of a stopped agent is. */
function kept(state: Pick<State, 'parked'>): Html | false {
  const text = parkedText(state, literal);
  return text !== '' && html`<p class="muted">${text}</p>`;
}

/** All of a call, because it can be allowed on this page: a title elsewhere may be cut. */
function askedDetails(call: AskedCall): Html {
  const { command, kind, title, paths = [], hits } = call;
  const files = paths.map((path) => html`<li><code>${visible(path)}</code></li>`);
  const what =
    command === undefined
      ? html`<p><b>${visible(kind)}</b>: ${visible(title)}</p><ul>${files}</ul>`
      : html`<pre class="preserve-lines" tabindex="0">${visible(command)}</pre>`;
  return html`${what}${hits.length > 0 && hitList(hits)}`;
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
