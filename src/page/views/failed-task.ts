import { outcomeTexts } from '../../github/words/index.ts';
import type { AwaitingResolution } from '../../steering/standing.ts';
import type { AttemptRecord, State } from '../../steering/state.ts';
import { costText, counted, durationText } from '../../text/amounts.ts';
import { visible } from '../../text/visible.ts';
import { type Html, html } from '../html.ts';
import type { Offers } from '../offers.ts';
import type { Posting } from '../postings.ts';
import { type IssueRoute, pathOf } from '../routes.ts';
import type { TaskAction, TaskSource } from '../tasks/task-fields.ts';
import { emptyForm } from '../tasks/task-form.ts';
import { pullLinks, table } from './components.ts';
import { formTitles, taskForm } from './task-form.ts';

/** Where the task is shown, and what the person who looks at it can say. */
export interface TaskPlace {
  readonly route: IssueRoute;
  readonly offers: Offers;
  readonly posting: Posting | undefined;
}

/** The interrupt that waits for people, be it late; undefined if none does. */
export function interruptOf({ standing }: Pick<State, 'standing'>): AwaitingResolution | undefined {
  const asking = standing.phase === 'timed_out' ? standing.before : standing;
  return asking.phase === 'awaiting_resolution' ? asking : undefined;
}

/** The task as its forms begin with it. */
export function sourceOf(state: State, { interaction }: AwaitingResolution): TaskSource {
  const { task, overrides, settings } = state;
  return { id: task.id, task, overrides, profiles: settings.profiles, about: interaction.id };
}

/** What failed, what it was to be, what was tried, and what can be done now. */
export function failedTask(state: State, waiting: AwaitingResolution, place: TaskPlace): Html {
  return html`<pre class="failure" tabindex="0" aria-label="The failure">${visible(waiting.interrupt.failure_reason)}</pre>
${resolutions(state, waiting, place)}
<h3>What was asked</h3>${asked(state)}
${state.attempts.length > 0 && attemptTable(state.attempts)}`;
}

function asked({ task }: State): Html {
  const { title, description, acceptance_criteria: criteria } = task;
  const list = criteria.map((each) => html`<li>${visible(each)}</li>`);
  return html`<p><b>${visible(title)}</b></p>
<p class="preserve-lines">${visible(description)}</p>
${criteria.length > 0 && html`<p>Acceptance criteria:</p><ul>${list}</ul>`}`;
}

function attemptTable(attempts: readonly AttemptRecord[]): Html {
  const heads = ['attempt', 'outcome', 'files', 'what failed first', 'time', 'cost'];
  return html`<h3>What was tried</h3>${table('Attempts', heads, attempts.map(attemptRow))}`;
}

function attemptRow({ attempt, outcome, files = [], duration_s, cost, ...rest }: AttemptRecord): Html {
  const paths = files.map((path) => html`<li><code>${visible(path)}</code></li>`);
  const changed =
    files.length === 0
      ? '–'
      : html`<details id="files-of-attempt-${attempt}"><summary>${counted(files.length, 'file')}</summary><ul>${paths}</ul></details>`;
  return html`<tr><th scope="row">${attempt}</th>
<td><span class="verdict tone-${outcome === 'green' ? 'success' : 'danger'}">${outcomeTexts[outcome]}</span></td>
<td>${changed}</td><td class="prompt preserve-lines">${visible(firstFailure(rest))}</td>
<td class="when">${durationText(duration_s)}</td><td>${(cost && costText(cost)) || 'not reported'}</td></tr>`;
}

function firstFailure({
  failure,
  verifiers,
  gates = [],
}: Pick<AttemptRecord, 'failure' | 'verifiers' | 'gates'>): string {
  if (failure !== null) return failure.message;
  const red = verifiers.find(({ success, required = true }) => required && !success);
  if (red !== undefined)
    return [`${red.name} (exit code ${red.exit_code})`, red.said ?? ''].join('\n').trim();
  return gates.length === 0 ? '–' : `held by ${gates.join(', ')}`;
}

const offered = ['retry', 'spawn', 'abandon'] as const;

/** A button for each way out that is open, which leads to its form. */
function resolutions(state: State, waiting: AwaitingResolution, place: TaskPlace): Html {
  const { route, offers, posting } = place;
  const { spawning } = waiting;
  if (spawning !== undefined)
    return html`<p role="status">The runs are being made that take its place, for ${spawning.by.login}.</p>`;
  const open = offered.filter((name) => offers.offered.includes(name));
  const source = sourceOf(state, waiting);
  const disabled = posting?.phase === 'waiting';
  const made = state.replaced_by?.made ?? [];
  const partly =
    made.length > 0 &&
    html`<p>Of the new tasks, these have runs already: ${pullLinks(route, made)}. The same <code>/spawn</code> again makes the rest.</p>`;
  return html`${partly}${open.length > 0 && html`<div class="command-buttons">${open.map((name) => opener(route, name, disabled))}</div>`}
${open.map((name) => dialog(name, taskForm({ route, form: emptyForm(name, source), beside: closer })))}`;
}

/** Without scripts, the button leads to a page with the same form. While a command waits, it rests. */
function opener(route: IssueRoute, name: TaskAction, disabled: boolean): Html {
  const kind = name === 'retry' ? 'primary' : name === 'abandon' && 'danger';
  return html`<form method="get" action="${pathOf(route, name)}"><button${kind && html` class="${kind}"`}
 data-dialog="${name}-dialog" aria-haspopup="dialog"${disabled && html` disabled`}>${formTitles[name].title}</button></form>`;
}

const closer = html`<button type="button" data-close>Close</button>`;

function dialog(name: TaskAction, form: Html): Html {
  const id = `${name}-dialog`;
  return html`<dialog id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${formTitles[name].title}</h2>${form}</dialog>`;
}
