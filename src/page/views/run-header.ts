import { isOurLabel } from '../../github/names.ts';
import { scoreText } from '../../github/words/index.ts';
import { shownPhase } from '../../steering/standing.ts';
import type { State } from '../../steering/state.ts';
import { type Html, html } from '../html.ts';
import type { RunModel } from '../load/run.ts';
import { type IssueRoute, pathOf } from '../routes.ts';
import { badge, bandBadge } from './components.ts';
import { riskBadge } from './gates.ts';
import { phaseBadge } from './phase-badge.ts';
import { phaseSentence } from './phase-sentence.ts';
import { supersededEvidence } from './superseded.ts';

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
