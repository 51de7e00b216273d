import { isOurLabel } from '../../github/names.ts';
import { type Html, html } from '../../html/html.ts';
import { markdown } from '../../html/markdown.ts';
import { reviewOf } from '../../steering/confidence/evaluation.ts';
import { askedCall } from '../../steering/iterations/interactions.ts';
import { iterationShown } from '../../steering/iterations/iteration.ts';
import { isInProgress, supersededBy } from '../../steering/phases/table.ts';
import { shownPhase } from '../../steering/shapes/standing.ts';
import type { State } from '../../steering/state/state.ts';
import { visible } from '../../text/characters.ts';
import {
  droppedFilesText,
  nextStageText,
  paragraphs,
  parkedText,
  phaseSentence,
  scoreText,
  stageResult,
  wordsOf,
} from '../../words/index.ts';
import type { RunModel } from '../load/load-run.ts';
import { type IssueRoute, pathOf } from '../load/page-routes.ts';
import { badge, externalLink, phaseBadge, prose, section } from './components.ts';
import { trustOf } from './evidence-view.ts';
import { failedTask, type TaskPlace } from './task-forms.ts';

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
  ['changes', 'Changes'],
  ['verifiers', 'Verifiers'],
  ['confidence', 'Confidence'],
  ['gates', 'Risk'],
  ['review', 'Second opinion'],
  ['iterations', 'Iterations'],
  ['conversation', 'Conversation'],
  ['history', 'History'],
] as const;

/** Leads to the issue that the run was started from. */
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

/** What is asked, or known of where the run stands. What is in progress has a section of its own. */
export function phaseDetails(state: State, place: TaskPlace): Html | false {
  if (isInProgress(shownPhase(state))) return false;
  return section('phase-details', 'Where it stands', detailsOf(state, place));
}

function detailsOf(state: State, place: TaskPlace): Html {
  const { standing } = state;
  if (standing.phase === 'awaiting_stage') return stageOnShow(state);
  const summary = prose(paragraphs(wordsOf(state).summary(state, place.web)), place.route);
  switch (standing.phase) {
    case 'awaiting_resolution':
      return html`${summary}${prose(parkedText(state))}${failedTask(state, standing, place)}`;
    case 'timed_out':
      return html`${summary}${detailsOf({ ...state, standing: standing.before }, place)}`;
    case 'approved':
      return html`<div id="way-on" class="notice success">${summary}
${standing.finish === 'finished' && mergeBox(place)}</div>`;
    default:
      return html`${summary}${longCall(state)}`;
  }
}

/** What a stage came to as a whole, for the people who decide whether the next one begins. */
function stageOnShow(state: State): Html {
  return html`${prose(nextStageText(state))}
<div class="prose" id="stage-result">${markdown(stageResult(state))}</div>${prose(droppedFilesText(state))}`;
}

function mergeBox({ route, web }: TaskPlace): Html {
  const address = `${web}/pull/${route.number}#partial-pull-merging`;
  return html`<p>${externalLink(address, 'Go to the merge box on GitHub')}</p>`;
}

/** All of a call that the words cut, because it can be allowed on this page. */
function longCall(state: State): Html | false {
  const { command, paths = [] } = askedCall(state) ?? {};
  const isCut = command === undefined ? paths.some(isLongPath) : command.length > maxCommand;
  const whole = command ?? paths.join('\n');
  return (
    isCut &&
    html`<p>As a whole:</p>
<pre class="preserve-lines" tabindex="0" aria-label="The whole call">${visible(whole)}</pre>`
  );
}

const maxCommand = 4000;

function isLongPath({ length }: string): boolean {
  return length > 300;
}
