import { compareLink, scoreText } from '../../github/words/index.ts';
import type { AttemptRecord, State, SteeringIteration } from '../../steering/state.ts';
import { type Html, html } from '../html.ts';
import { counted, durationText, external, fold, sha, table, time } from './components.ts';

/** Every human-directed round, and what came of it. `web` is the repository's address. */
export function iterations(state: State, web: string): Html {
  const rows = state.iterations.map((iteration) => iterationRow(iteration, web));
  if (rows.length === 0)
    return html`<p class="quiet">The first iteration has not landed yet.</p>${attempts(state)}`;
  const heads = ['#', 'prompt', 'commits', 'attempts', 'verifiers', 'confidence', 'cost', 'took'];
  return html`${table('Iterations', heads, rows)}${attempts(state)}${queue(state)}`;
}

function iterationRow(iteration: SteeringIteration, web: string): Html {
  const { iteration_number, score, attempts: tries, duration_s, landed, timestamp } = iteration;
  return html`<tr id="iteration-${iteration_number}"><th scope="row">${iteration_number}</th>
<td class="prompt">${promptOf(iteration)}
<p class="quiet">${time(timestamp)}${!landed && ' · under way'}</p></td>
<td class="when">${rangeOf(iteration, web)}</td><td>${tries}</td><td>${verdictsOf(iteration)}</td>
<td>${score === null ? '–' : scoreText(score)}</td><td>${costOf(iteration)}</td>
<td class="when">${durationText(duration_s)}</td></tr>`;
}

function promptOf({ steers, prompt, output, iteration_number }: SteeringIteration): Html {
  const said = steers.map((steer) => html`<p><b>${steer.author}</b> ${steer.prompt}</p>`);
  const words = steers.length > 0 ? said : html`<p>${prompt === '' ? 'The task itself' : prompt}</p>`;
  if (output.trim() === '') return html`${words}`;
  const id = `output-of-iteration-${iteration_number}`;
  const came = html`<p class="as-written">${output}</p>`;
  return html`${words}${fold({ id, summary: 'What came of it' }, came)}`;
}

function rangeOf({ head_before, head_after }: SteeringIteration, web: string): Html {
  if (head_before === head_after) return html`<span class="quiet">none</span>`;
  return external(compareLink(web, head_before, head_after), html`${sha(head_before)}…${sha(head_after)}`);
}

function verdictsOf({ verifiers }: SteeringIteration): Html {
  if (verifiers.length === 0) return html`–`;
  return html`${verifiers.map(
    ({ name, success }) =>
      html`<span class="verdict ${success ? 'good' : 'broken'}">${success ? '✓' : '✗'} ${name}</span> `,
  )}`;
}

function costOf({ cost }: SteeringIteration): string {
  const parts = [
    ...(cost.usd === undefined ? [] : [`$${cost.usd.toFixed(2)}`]),
    ...(cost.tokens === undefined ? [] : [counted(cost.tokens, 'token')]),
  ];
  return parts.join(', ') || '–';
}

/** The attempts of the iteration that is under way. */
function attempts({ attempts: records, iteration }: State): Html | false {
  if (records.length === 0) return false;
  const title = `Attempts of iteration ${iteration}`;
  const heads = ['attempt', 'outcome', 'why', 'took'];
  return html`<h3>${title}</h3>${table(title, heads, records.map(attemptRow))}`;
}

function attemptRow({ attempt, outcome, failure, summary, verifiers, duration_s }: AttemptRecord): Html {
  const red = verifiers.filter(({ success }) => !success).map(({ name }) => name);
  const why = failure?.message ?? (red.length > 0 ? `${red.join(', ')} failed` : summary);
  return html`<tr id="attempt-${attempt}"><th scope="row">${attempt}</th>
<td><span class="verdict ${outcome === 'green' ? 'good' : 'broken'}">${outcome}</span></td>
<td class="prompt">${why}</td><td>${durationText(duration_s)}</td></tr>`;
}

function queue({ queue: steers }: State): Html | false {
  if (steers.length === 0) return false;
  const items = steers.map(({ author, prompt }) => html`<li><b>${author}</b> ${prompt}</li>`);
  return html`<h3>Queued steers</h3><ol>${items}</ol>`;
}
