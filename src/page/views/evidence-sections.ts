import { type Html, html } from '../../html/html.ts';
import { markdown } from '../../html/markdown.ts';
import { isAwaitingChecks } from '../../steering/standing.ts';
import type { Evaluation, State } from '../../steering/state.ts';
import { isInProgress } from '../../steering/table.ts';
import { agentsWord, decisionText, literal, redBefore } from '../../words/index.ts';
import { endedWork } from '../load/attempts.ts';
import type { RunModel } from '../load/run.ts';
import { pathOf } from '../routes.ts';
import { badge, section, shaCode, whenLoaded } from './components.ts';
import {
  confidence,
  earlierVerification,
  gates,
  proof,
  type Superseded,
  steppedBack,
  supersededEvidence,
  supersededReport,
  verifiers,
} from './evidence.ts';
import { iterations } from './iterations.ts';
import { graveIn, secondOpinion } from './review.ts';

/**
 * What is known of the newest commit. What is of an earlier one than the run is about steps back together,
 * with the commit that it is of.
 */
export function evidenceSections(run: RunModel): Html {
  const { route, state, pull, events } = run;
  const work = 'value' in events ? endedWork(events.value) : [];
  const web = pull.url.replace(/\/pull\/\d+$/, '');
  const superseded = 'value' in state ? supersededEvidence(state.value) : undefined;
  const report = reportPart(run);
  const parts = [
    ...[verifiersPart(run), ...proofPart(run)],
    ...[evaluationPart(run, confidencePart), evaluationPart(run, gatesPart(web))],
    ...reviewPart(run),
  ];
  return html`${superseded === undefined ? [...report, ...parts].map(card) : earlierCard(superseded, run, [...report, ...parts])}
${section(
  'iterations',
  'Iterations',
  whenLoaded(state, (known) => iterations(known, { web, path: pathOf(route), work })),
  whenLoaded(events, () => false),
)}`;
}

/** One kind of evidence. */
interface Part {
  readonly id: string;
  readonly title: string;
  readonly content: Html;
}

function card({ id, title, content }: Part): Html {
  return section(id, title, content);
}

/** The report of the head stays what it is while the head is verified again. */
function earlierCard(superseded: Superseded, { state }: RunModel, all: readonly Part[]): Html {
  const isReportCurrent = 'value' in state && supersededReport(state.value) === undefined;
  const current = all.filter(({ id }) => id === 'report' && isReportCurrent);
  const earlier = all.filter((part) => !current.includes(part));
  const content = earlier.map(
    ({ id, title, content: each }) => html`<section id="${id}" aria-labelledby="${id}-title">
<h3 id="${id}-title">${title}</h3>
${each}
</section>`,
  );
  return html`${current.map(card)}
${section('earlier', `What iteration ${superseded.iteration} came to`, steppedBack('evidence', superseded, content))}`;
}

interface EvaluationPart extends Omit<Part, 'content'> {
  readonly render: (shown: Evaluation, state: State) => Html;
}

const confidencePart: EvaluationPart = {
  id: 'confidence',
  title: 'Confidence',
  render: (shown, state) => confidence(shown, decisionText(state, literal), graveIn(state).length),
};

function gatesPart(web: string): EvaluationPart {
  return { id: 'gates', title: 'Risk', render: (shown, state) => gates(shown, { state, web }) };
}

/** Only where something was run or left out. */
function proofPart({ state }: RunModel): readonly Part[] {
  const shown = 'value' in state ? state.value.shown : null;
  const content = shown === null ? undefined : proof(shown);
  return content === undefined ? [] : [{ id: 'proof', title: 'What the tests are worth', content }];
}

/** Only where somebody was asked for one. */
function reviewPart({ state }: RunModel): readonly Part[] {
  const content = 'value' in state && state.value.shown !== null ? secondOpinion(state.value) : undefined;
  return content === undefined ? [] : [{ id: 'review', title: 'Second opinion', content }];
}

/** A part of the evaluation of the head. */
function evaluationPart({ state }: RunModel, { id, title, render }: EvaluationPart): Part {
  const content = whenLoaded(state, (known) =>
    known.shown === null ? noneText(known) : render(known.shown, known),
  );
  return { id, title, content };
}

function noneText({ standing, head }: State): Html {
  if (isAwaitingChecks(standing)) return html`<p class="missing">Not yet: CI is waited for.</p>`;
  if (standing.phase === 'verifying') return html`<p class="missing">Not yet: the verifiers are running.</p>`;
  if (isInProgress(standing.phase)) return html`<p class="missing">Not yet.</p>`;
  return html`<p class="missing">There is none for ${shaCode(head)}, the head.</p>`;
}

/** If the head has not been verified, those of an earlier commit. */
function verifiersPart({ state, outputs, events }: RunModel): Part {
  const earlier =
    'value' in state && state.value.shown === null ? earlierVerification(state.value, events) : undefined;
  const before = 'value' in state && state.value.shown !== null ? redBefore(state.value.shown) : [];
  const content = whenLoaded(outputs, (known) => steppedBack('verifiers', earlier, verifiers(known, before)));
  return { id: 'verifiers', title: 'Verifiers', content };
}

function reportPart({ state }: RunModel): readonly Part[] {
  const report = 'value' in state ? state.value.report : null;
  if (report === null || report.summary.trim() === '') return [];
  const content = html`<p>${badge(agentsWord)}</p><div class="prose">${markdown(report.summary)}</div>`;
  return [{ id: 'report', title: 'Report of the agent', content }];
}
