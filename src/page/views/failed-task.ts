import { type Html, html } from '../../html/html.ts';
import type { AwaitingResolution } from '../../steering/shapes/standing.ts';
import type { State } from '../../steering/state/state.ts';
import { visible } from '../../text/visible.ts';
import { attemptsText, plain, under } from '../../words/index.ts';
import type { Offers } from '../forms/offers.ts';
import type { Posting } from '../forms/postings.ts';
import { type IssueRoute, pathOf } from '../load/routes.ts';
import { formOf, type TaskAction, type TaskSource, taskActions } from '../tasks/task-fields.ts';
import { emptyForm } from '../tasks/task-form.ts';
import { prose, pullLinks } from './components.ts';
import { taskForm } from './task-form.ts';

/** Where the task is shown, and what the person who looks at it can say. */
export interface TaskPlace {
  readonly route: IssueRoute;
  readonly offers: Offers;
  readonly posting: Posting | undefined;
  /** The repository's address. */
  readonly web: string;
}

/** The interrupt that waits for people, be it late; undefined if none does. */
export function interruptOf({ standing }: Pick<State, 'standing'>): AwaitingResolution | undefined {
  const asking = standing.phase === 'timed_out' ? standing.before : standing;
  return asking.phase === 'awaiting_resolution' ? asking : undefined;
}

/** The task as its forms begin with it, which may have a profile that is no longer there. */
export function sourceOf(state: State, { interaction }: AwaitingResolution): TaskSource {
  const { task, overrides, settings } = state;
  const profiles = new Set([...(settings.profiles ?? []), task.worker_profile]);
  profiles.delete('');
  return { id: task.id, task, overrides, profiles: [...profiles], about: interaction.id };
}

/** What can be done now, what was tried, and what it was to be. */
export function failedTask(state: State, waiting: AwaitingResolution, place: TaskPlace): Html {
  const tried = attemptsText(state, 'page');
  return html`${waiting.spawning === undefined && resolutions(state, waiting, place)}
${tried !== '' && html`<h3>What was tried</h3>${prose(tried)}`}
<h3>What was asked</h3>${asked(state)}`;
}

/** Criteria that the description lists are not said twice. */
function asked({ task }: State): Html {
  const { title, description, acceptance_criteria: criteria } = task;
  const listed = criteria.map((each) => `- ${plain(each, 1000)}`);
  const isListed = criteria.every((each) => description.includes(each));
  return html`<p><b>${visible(title)}</b></p>
${description !== title && prose(description)}${!isListed && prose(under('Acceptance criteria:', listed))}`;
}

/** A button for each way out that is open, which leads to its form. */
function resolutions(state: State, waiting: AwaitingResolution, place: TaskPlace): Html {
  const { route, offers, posting } = place;
  const open = taskActions.filter((name) => offers.offered.includes(name));
  const source = sourceOf(state, waiting);
  const disabled = posting?.phase === 'waiting';
  const made = state.replaced_by?.made ?? [];
  const partly =
    made.length > 0 &&
    html`<p>These new tasks already have runs: ${pullLinks(route, made)}. The same <code>/spawn</code> again starts the rest.</p>`;
  return html`${partly}${open.length > 0 && html`<div class="command-buttons">${open.map((name) => opener(route, name, disabled))}</div>`}
${open.map((name) => dialog(name, taskForm({ route, form: emptyForm(name, source) })))}`;
}

/** Without scripts, the button leads to a page with the same form. While a command waits, it rests. */
function opener(route: IssueRoute, name: TaskAction, disabled: boolean): Html {
  const kind = name === 'retry' ? 'primary' : name === 'abandon' && 'danger';
  return html`<form method="get" action="${pathOf(route, name)}"><button${kind && html` class="${kind}"`}
 data-dialog="${name}-dialog" aria-haspopup="dialog"${disabled && html` disabled`}>${formOf(name).title}</button></form>`;
}

function dialog(name: TaskAction, form: Html): Html {
  const id = `${name}-dialog`;
  return html`<dialog id="${id}" aria-labelledby="${id}-title"><header><h2 id="${id}-title">${formOf(name).title}</h2>
<button type="button" data-close>Close</button></header>${form}</dialog>`;
}
