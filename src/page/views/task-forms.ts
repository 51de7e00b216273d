import { type Html, html } from '../../html/html.ts';
import { markdown } from '../../html/markdown.ts';
import type { AwaitingResolution } from '../../steering/shapes/standing.ts';
import type { State } from '../../steering/state/state.ts';
import { visible } from '../../text/characters.ts';
import { attemptsText, plain, under } from '../../words/index.ts';
import type { Offers, Posting } from '../forms/offers.ts';
import { type IssueRoute, pathOf } from '../load/page-routes.ts';
import {
  fieldsOf,
  formOf,
  type TaskAction,
  type TaskField,
  type TaskSource,
  taskActions,
} from '../tasks/task-fields.ts';
import { emptyForm, type TaskForm } from '../tasks/task-form.ts';
import { details, prose, pullLinks } from './components.ts';

interface FormOptions {
  readonly route: IssueRoute;
  readonly form: TaskForm;
  /** Why nothing was posted, if a field cannot say it. */
  readonly notice?: string | undefined;
  /** What stands beside the button that posts it. */
  readonly beside?: Html | undefined;
}

/** The form posts a command with a description of tasks, as one comment of the person. */
export function taskForm({ route, form, notice, beside }: FormOptions): Html {
  const { action, tasks, about, problems } = form;
  const count = problems.length === 1 ? 'one field is' : `${problems.length} fields are`;
  const why = problems.length > 0 ? `Nothing was posted: ${count} not as expected.` : notice;
  const { note, of } = formOf(action);
  const button = of === 'reason' ? 'danger' : 'primary';
  return html`<form class="task-form" method="post" action="${pathOf(route, action)}" id="${action}-form" data-fields>
<input type="hidden" name="about" value="${about}">
<p class="muted">${note}</p>
<p class="notice problem" role="alert" data-notice>${why}</p>
${tasks.map((_, nth) => fieldset(form, nth))}
<div class="buttons"><button class="${button}">Post /${action}</button>
${of === 'tasks' && html`<button name="add" value="1" formnovalidate>Add another task</button>`}
${beside}</div></form>`;
}

/** The fields of one task; where there are several, those after the first can be left out. */
function fieldset(form: TaskForm, nth: number): Html {
  const fields = fieldsOf(form.action, form.profiles);
  const drawn = (those: readonly TaskField[]) => those.map((field) => fieldOf(form, { field, nth }));
  const rare = fields.filter(({ isRare }) => isRare);
  const id = `${form.action}-${nth}`;
  const open = rare.some((field) => saysSomething(form, { field, nth }));
  const more =
    rare.length > 0 && details({ id: `${id}-more`, summary: 'More fields', open }, html`${drawn(rare)}`);
  const all = html`${drawn(fields.filter(({ isRare }) => !isRare))}${more}`;
  if (formOf(form.action).of !== 'tasks') return all;
  const leaveOut = html`<p><input type="checkbox" id="${id}-leave-out" name="leave_out" value="${nth}">
<label class="inline" for="${id}-leave-out">Leave this task out</label></p>`;
  return html`<fieldset id="${id}"><legend>Task ${nth + 1}</legend>${all}${nth > 0 && leaveOut}</fieldset>`;
}

function saysSomething({ tasks, problems }: TaskForm, { field, nth }: Place): boolean {
  const text = tasks[nth]?.[field.key] ?? '';
  const isUsual = text === '' || (field.key === 'kind' && text === 'build');
  return !isUsual || problems.some((each) => each.nth === nth && each.key === field.key);
}

interface Place {
  readonly field: TaskField;
  readonly nth: number;
}

/** A field with its label, what helps to fill it in, and what is wrong with it. */
function fieldOf(form: TaskForm, { field, nth }: Place): Html {
  const { key, label, help } = field;
  const id = `${form.action}-${nth}-${key}`;
  const problem = form.problems.find((each) => each.nth === nth && each.key === key);
  const described = [help !== undefined && `${id}-help`, problem && `${id}-problem`].filter(Boolean);
  const attributes = html` id="${id}" name="${key}"${described.length > 0 && html` aria-describedby="${described.join(' ')}"`}${
    problem && html` aria-invalid="true"`
  }${isFirst(form, { field, nth }) && html` autofocus`}${isRequired(form, field) && html` required`}`;
  return html`<div class="field"><label for="${id}">${label}</label>
${control(field, form.tasks[nth]?.[key] ?? '', attributes)}
${help !== undefined && html`<p class="muted" id="${id}-help">${help}</p>`}
${problem && html`<div class="field-problem" id="${id}-problem">${markdown(problem.text)}</div>`}</div>`;
}

/** A line break at the beginning of a text would be lost without the one that is put before it. */
function control({ rows, options }: TaskField, text: string, attributes: Html): Html {
  if (options !== undefined) {
    const all = options.some(({ value }) => value === text)
      ? options
      : [{ value: text, label: text }, ...options];
    return html`<select${attributes}>${all.map(
      ({ value, label }) =>
        html`<option value="${value}"${value === text && html` selected`}>${label}</option>`,
    )}</select>`;
  }
  if (rows === undefined) return html`<input type="text"${attributes} value="${text}">`;
  return html`<textarea${attributes} rows="${rows}">
${text}</textarea>`;
}

/** Where the person goes on: at the first problem, or in the task that was just added. */
function isFirst({ action, tasks, problems, added }: TaskForm, { field, nth }: Place): boolean {
  const [problem] = problems;
  if (problem !== undefined) return problem.nth === nth && problem.key === field.key;
  const isNew = added === true ? nth === tasks.length - 1 : nth === 0;
  return isNew && field.key === fieldsOf(action)[0]?.key;
}

/** An issue has a description already. */
function isRequired({ action }: TaskForm, { key }: TaskField): boolean {
  return key === 'description' && action !== 'run';
}

/** The form on a page of its own, for browsers without scripts, and for what has to be put right. */
export function taskFormPage(route: IssueRoute, form: TaskForm, notice: string | undefined): Html {
  const path = pathOf(route);
  const place = html`<a href="${path}">${route.owner}/${route.repo} #${route.number}</a>`;
  const beside = html`<a href="${path}">Back without posting</a>`;
  return html`<header class="page-header"><p class="crumbs"><a href="/">Runs</a> / ${place}</p>
<h1>${formOf(form.action).title}</h1></header>
<div class="card">${taskForm({ route, form, notice, beside })}</div>`;
}

/** Where the task is shown, and what the person who looks at it can say. */
export interface TaskPlace {
  readonly route: IssueRoute;
  readonly offers: Offers;
  readonly posting: Posting | undefined;
  /** Where the repository is on GitHub. */
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
  return html`<form method="get" action="${pathOf(route, name)}">${
    route.from !== undefined && html`<input type="hidden" name="from" value="${route.from}">`
  }<button${kind && html` class="${kind}"`}
 data-dialog="${name}-dialog" aria-haspopup="dialog"${disabled && html` disabled`}>${formOf(name).title}</button></form>`;
}

function dialog(name: TaskAction, form: Html): Html {
  const id = `${name}-dialog`;
  return html`<dialog id="${id}" aria-labelledby="${id}-title"><header><h2 id="${id}-title">${formOf(name).title}</h2>
<button type="button" data-close>Close</button></header>${form}</dialog>`;
}
