import { decisionText } from '../../github/words/index.ts';
import type { Evaluation, State } from '../../steering/state.ts';
import { type Html, html } from '../html.ts';
import { endedWork } from '../load/attempts.ts';
import type { RunModel } from '../load/run.ts';
import { markdown } from '../markdown.ts';
import { pathOf } from '../routes.ts';
import { section, shortSha, whenLoaded } from './components.ts';
import { confidence, gates, verifiers } from './evidence.ts';
import { iterations } from './iterations.ts';
import { phaseDetails } from './phase-details.ts';
import {
  earlierVerification,
  type Superseded,
  steppedBack,
  supersededEvidence,
  supersededReport,
} from './superseded.ts';

/** What is known of the commits, the newest first, each part with the commit that it is of. */
export function evidenceSections(run: RunModel): Html {
  const { route, state, pull, events } = run;
  const work = 'value' in events ? endedWork(events.value) : [];
  const web = pull.url.replace(/\/pull\/\d+$/, '');
  return html`${'value' in state && [phaseDetails(state.value), reportSection(state.value)]}
${verifiersSection(run)}
${evaluationSection(run, confidencePart)}
${evaluationSection(run, gatesPart)}
${section(
  'iterations',
  'Iterations',
  whenLoaded(state, (known) => iterations(known, { web, path: pathOf(route), work })),
)}`;
}

interface Part {
  readonly id: string;
  readonly title: string;
  readonly render: (shown: Evaluation, state: State) => Html;
}

/** A part of the evaluation of the head, which steps back when the run is about something else. */
function evaluationSection({ state }: RunModel, { id, title, render }: Part): Html {
  return section(
    id,
    title,
    whenLoaded(state, (known) =>
      known.shown === null
        ? html`<p class="missing">There is none for ${shortSha(known.head)}, the head.</p>`
        : steppedBack(id, supersededEvidence(known), render(known.shown, known)),
    ),
  );
}

const confidencePart: Part = {
  id: 'confidence',
  title: 'Confidence',
  render: (shown, state) => confidence(shown, decisionText(state)),
};

const gatesPart: Part = { id: 'gates', title: 'Gates', render: (shown) => gates(shown.gates) };

function verifiersSection({ state, outputs, events }: RunModel): Html {
  const superseded = 'value' in state ? supersededVerifiers(state.value, events) : undefined;
  return section(
    'verifiers',
    'Verifiers',
    whenLoaded(outputs, (known) => steppedBack('verifiers', superseded, verifiers(known))),
  );
}

function supersededVerifiers(state: State, events: RunModel['events']): Superseded | undefined {
  return state.shown === null ? earlierVerification(state, events) : supersededEvidence(state);
}

function reportSection(state: State): Html | false {
  const { report } = state;
  if (report === null || report.summary.trim() === '') return false;
  const prose = html`<div class="prose">${markdown(report.summary)}</div>`;
  return section('report', 'Report of the agent', steppedBack('report', supersededReport(state), prose));
}
