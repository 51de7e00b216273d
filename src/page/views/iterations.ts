import { agentsWord, compareLink } from '../../github/words/index.ts';
import { isInProgress } from '../../steering/standing.ts';
import type { State, SteeringIteration } from '../../steering/state.ts';
import { costText, durationText } from '../../text/amounts.ts';
import { type Html, html } from '../html.ts';
import type { EndedWork } from '../load/attempts.ts';
import { attemptsOf } from './attempts.ts';
import { details, externalLink, shaCode, table, time } from './components.ts';
import { courseCell, courseChart } from './course.ts';

/** Where an iteration is shown. */
export interface IterationsPlace {
  /** The repository's address. */
  readonly web: string;
  /** The run's page. */
  readonly path: string;
  /** All work that has ended; none if the history could not be loaded. */
  readonly work: readonly EndedWork[];
}

/** Every iteration with its result and its attempts. */
export function iterations(state: State, place: IterationsPlace): Html {
  if (state.iterations.length === 0)
    return html`<p class="muted">The first iteration has not finished yet.</p>`;
  const isCostKnown = state.iterations.some(({ cost }) => costText(cost) !== '');
  const rows = state.iterations.map((iteration) => iterationRow(iteration, { state, place, isCostKnown }));
  const cost = isCostKnown ? ['cost'] : [];
  const heads = ['#', 'prompt', 'commits', 'attempts', 'verifiers', 'confidence', ...cost, 'work time'];
  return html`${courseChart(state)}${table('Iterations', heads, rows)}
<p class="muted">The work time is that of agents and verifiers, without waiting.</p>
${attemptsOf(state, place)}${queue(state)}`;
}

interface RowOptions {
  readonly state: State;
  readonly place: IterationsPlace;
  readonly isCostKnown: boolean;
}

function iterationRow(iteration: SteeringIteration, { state, place, isCostKnown }: RowOptions): Html {
  const { iteration_number, cost, duration_s, landed, timestamp } = iteration;
  // They are only counted when an iteration ends.
  const attempts = landed ? iteration.attempts : state.attempt;
  return html`<tr id="iteration-${iteration_number}"><th scope="row">${iteration_number}</th>
<td class="prompt">${promptOf(iteration)}
<p class="muted">${time(timestamp)}${!landed && ` · ${unlandedText(state)}`}</p></td>
<td class="when">${rangeOf(iteration, place.web)}</td><td>${attempts}</td><td>${verdictsOf(iteration)}</td>
<td>${courseCell(state, iteration_number)}</td>
${isCostKnown && html`<td>${costText(cost) || (landed ? 'not reported' : '–')}</td>`}
<td class="when">${duration_s > 0 ? durationText(duration_s) : '–'}</td></tr>`;
}

/** The run may have ended, or stopped, before its last iteration was done. */
function unlandedText({ standing: { phase } }: State): string {
  return isInProgress(phase) || phase === 'awaiting_permission' ? 'in progress' : 'not finished';
}

function promptOf({ steers, prompt, output, iteration_number }: SteeringIteration): Html {
  const prompts = steers.map((steer) => html`<p><b>${steer.author}</b> ${steer.prompt}</p>`);
  const request = steers.length > 0 ? prompts : html`<p>${prompt === '' ? 'The original task' : prompt}</p>`;
  if (output.trim() === '') return html`${request}`;
  const id = `output-of-iteration-${iteration_number}`;
  const result = html`<p class="preserve-lines">${output}</p>`;
  return html`${request}${details({ id, summary: `Result (${agentsWord})` }, result)}`;
}

function rangeOf({ head_before, head_after, landed }: SteeringIteration, web: string): Html {
  // What was pushed meanwhile is counted once it is verified.
  if (head_before === head_after) return landed ? html`<span class="muted">none</span>` : html`–`;
  return externalLink(
    compareLink(web, head_before, head_after),
    html`${shaCode(head_before)}…${shaCode(head_after)}`,
  );
}

function verdictsOf({ verifiers }: SteeringIteration): Html {
  if (verifiers.length === 0) return html`–`;
  return html`${verifiers.map(
    ({ name, success, required = true }) =>
      html`<span class="verdict tone-${success ? 'success' : required ? 'danger' : 'warning'}">${
        success ? '✓' : '✗'
      } ${name}${!success && !required && ', not required'}</span> `,
  )}`;
}

function queue({ queue: steers }: State): Html | false {
  if (steers.length === 0) return false;
  const items = steers.map(({ author, prompt }) => html`<li><b>${author}</b> ${prompt}</li>`);
  return html`<h3>Queued steers</h3><ol>${items}</ol>`;
}
