import { compareLink, outcomeTexts, scoreText } from '../../github/words/index.ts';
import type { AttemptRecord, State, SteeringIteration } from '../../steering/state.ts';
import { costText } from '../../text/amounts.ts';
import { type Html, html } from '../html.ts';
import { details, durationText, externalLink, shortSha, table, time } from './components.ts';

/** Every iteration with its result. `web` is the repository's address. */
export function iterations(state: State, web: string): Html {
  const rows = state.iterations.map((iteration) => iterationRow(iteration, web));
  if (rows.length === 0)
    return html`<p class="muted">The first iteration has not finished yet.</p>${attempts(state)}`;
  const heads = ['#', 'prompt', 'commits', 'attempts', 'verifiers', 'confidence', 'cost', 'duration'];
  return html`${table('Iterations', heads, rows)}${attempts(state)}${queue(state)}`;
}

function iterationRow(iteration: SteeringIteration, web: string): Html {
  const { iteration_number, score, cost, attempts: attemptCount, duration_s, landed, timestamp } = iteration;
  return html`<tr id="iteration-${iteration_number}"><th scope="row">${iteration_number}</th>
<td class="prompt">${promptOf(iteration)}
<p class="muted">${time(timestamp)}${!landed && ' · in progress'}</p></td>
<td class="when">${rangeOf(iteration, web)}</td><td>${attemptCount}</td><td>${verdictsOf(iteration)}</td>
<td>${score === null ? '–' : scoreText(score)}</td><td>${costText(cost) || '–'}</td>
<td class="when">${durationText(duration_s)}</td></tr>`;
}

function promptOf({ steers, prompt, output, iteration_number }: SteeringIteration): Html {
  const prompts = steers.map((steer) => html`<p><b>${steer.author}</b> ${steer.prompt}</p>`);
  const request = steers.length > 0 ? prompts : html`<p>${prompt === '' ? 'The original task' : prompt}</p>`;
  if (output.trim() === '') return html`${request}`;
  const id = `output-of-iteration-${iteration_number}`;
  const result = html`<p class="preserve-lines">${output}</p>`;
  return html`${request}${details({ id, summary: 'Result' }, result)}`;
}

function rangeOf({ head_before, head_after }: SteeringIteration, web: string): Html {
  if (head_before === head_after) return html`<span class="muted">none</span>`;
  return externalLink(
    compareLink(web, head_before, head_after),
    html`${shortSha(head_before)}…${shortSha(head_after)}`,
  );
}

function verdictsOf({ verifiers }: SteeringIteration): Html {
  if (verifiers.length === 0) return html`–`;
  return html`${verifiers.map(
    ({ name, success }) =>
      html`<span class="verdict tone-${success ? 'success' : 'danger'}">${success ? '✓' : '✗'} ${name}</span> `,
  )}`;
}

/** The attempts of the current iteration. */
function attempts({ attempts: records, iteration }: State): Html | false {
  if (records.length === 0) return false;
  const title = `Attempts of iteration ${iteration}`;
  const heads = ['attempt', 'outcome', 'reason', 'duration'];
  return html`<h3>${title}</h3>${table(title, heads, records.map(attemptRow))}`;
}

function attemptRow({ attempt, outcome, failure, summary, verifiers, duration_s }: AttemptRecord): Html {
  const failing = verifiers.filter(({ success }) => !success).map(({ name }) => name);
  const why = failure?.message ?? (failing.length > 0 ? `${failing.join(', ')} failed` : summary);
  return html`<tr id="attempt-${attempt}"><th scope="row">${attempt}</th>
<td><span class="verdict tone-${outcome === 'green' ? 'success' : 'danger'}">${outcomeTexts[outcome]}</span></td>
<td class="prompt">${why}</td><td>${durationText(duration_s)}</td></tr>`;
}

function queue({ queue: steers }: State): Html | false {
  if (steers.length === 0) return false;
  const items = steers.map(({ author, prompt }) => html`<li><b>${author}</b> ${prompt}</li>`);
  return html`<h3>Queued steers</h3><ol>${items}</ol>`;
}
