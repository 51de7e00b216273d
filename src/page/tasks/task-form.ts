import { isDeepStrictEqual } from 'node:util';
import {
  fencedBlock,
  printed,
  readTaskDocuments,
  readTaskFields,
  type TaskReading,
} from '../../config/tasks/task-documents.ts';
import { composed, plainText, Unsayable } from '../../doors/speech/compose-comment.ts';
import { parseCommand } from '../../github/markdown/command-parser.ts';
import { readTasks } from '../../github/markdown/task-blocks.ts';
import { parseSlashCommand } from '../../steering/commands/index.ts';
import type { WrittenTask } from '../../steering/commands/spec.ts';
import { withoutInvisible } from '../../text/characters.ts';
import {
  type FieldKey,
  type FieldTexts,
  fieldsOf,
  formOf,
  shownTexts,
  type TaskAction,
  type TaskField,
  type TaskSource,
} from './task-fields.ts';

/** A form about a task, as it is shown. */
export interface TaskForm {
  readonly action: TaskAction;
  /** The interaction that it settles. */
  readonly about: string;
  /** One, or those that are to take the place of one. */
  readonly tasks: readonly FieldTexts[];
  readonly problems: readonly FieldProblem[];
  readonly profiles?: TaskSource['profiles'];
  /** Whether the last task was added just now, and waits to be written. */
  readonly added?: boolean;
  /** Whether it is only to be shown, as the browser has kept it. */
  readonly isDraft?: boolean;
}

/** What is wrong with what a person wrote, in Markdown. */
interface FieldProblem {
  readonly nth: number;
  readonly key: FieldKey;
  readonly text: string;
}

/** Makes the form as it is before anybody writes in it. */
export function emptyForm(action: TaskAction, source: TaskSource): TaskForm {
  const { about, profiles } = source;
  return { action, about, profiles, tasks: [shownTexts(action, source)], problems: [] };
}

/** What each of several tasks says for itself. */
const blank: FieldTexts = { title: '', description: '', acceptance_criteria: '', depends_on: '', carry: '' };

/** These are more than may take the place of one, so that the command says how many that is. */
const maxTasks = 20;

/** The form as a person sent it: each field comes once for each task, in their order. */
export function sentForm(action: TaskAction, sent: URLSearchParams): TaskForm {
  const keys = fieldsOf(action).map(({ key }) => key);
  const count = Math.max(1, ...keys.map((key) => sent.getAll(key).length));
  const left = new Set(sent.getAll('leave_out'));
  const all = Array.from({ length: Math.min(count, maxTasks) }, (_, nth) =>
    Object.fromEntries(
      keys.flatMap((key) => {
        const text = sent.getAll(key)[nth];
        return text === undefined ? [] : [[key, heard(text)] as const];
      }),
    ),
  );
  const kept = all.filter((_, nth) => nth === 0 || !left.has(String(nth)));
  const added = sent.has('add') && formOf(action).of === 'tasks';
  const tasks = added ? [...kept, { ...kept[0], ...blank, name: `task-${kept.length + 1}` }] : kept;
  const about = plainText(sent.get('about') ?? '');
  return { action, about, tasks, problems: [], added, isDraft: sent.has('draft') };
}

/** Reads a text as the parser of comments hears it. */
function heard(text: string): string {
  return withoutInvisible(plainText(text));
}

/** The comment that a person would have written, or everything that is wrong with the form. */
type Written = { readonly body: string } | { readonly problems: readonly FieldProblem[] };

/**
 * The comment is posted only if the product's own parser reads exactly the command in it that the fields
 * mean: no text in a field can become anything else.
 */
export function writtenComment(form: TaskForm, source: TaskSource): Written {
  return formOf(form.action).of === 'reason' ? reasonComment(form) : taskComment(form, source);
}

function reasonComment({ tasks }: TaskForm): Written {
  try {
    return { body: composed({ type: 'abandon', reason: tasks[0]?.reason?.trim() ?? '' }) };
  } catch (fault) {
    if (fault instanceof Unsayable) return { problems: [{ nth: 0, key: 'reason', text: fault.message }] };
    throw fault;
  }
}

function taskComment({ action, tasks }: TaskForm, source: TaskSource): Written {
  const read = tasks.map((texts, nth) => readFields(texts, action, nth, source));
  const problems = [
    ...read.flatMap((each) => each.problems),
    ...combined(
      action,
      read.map(({ task }) => task),
    ),
  ];
  if (problems.length > 0) return { problems: firstOfEach(problems) };
  const meant = { tasks: read.map(({ task }, nth) => named(task, nth, source)) };
  const documents = read.map(({ text }, nth) => printed(named({}, nth, source)) + text);
  if (read.every(({ text }) => text === '')) return { body: `/${action}` };
  const block = fencedBlock(documents);
  const body = `/${action}\n\n${block}`;
  const command = parseSlashCommand({ word: action, line: '', body: block }, () => meant);
  if (isDeepStrictEqual(readTasks(block), meant) && isDeepStrictEqual(parseCommand(body), command))
    return { body };
  const text = 'Together, the fields would be read as something else: leave out what is unusual in them.';
  return { problems: [{ nth: 0, key: 'settings', text }] };
}

/** The first document names the task that is changed or replaced, and the interrupt that it is about. */
function named(task: WrittenTask, nth: number, { id, about: interrupt }: TaskSource): WrittenTask {
  if (nth > 0 || id === undefined) return task;
  return { task_id: id, ...(interrupt !== '' && { interrupt }), ...task };
}

/** What a person wrote anew of one task: as the product reads it, and as YAML. */
function readFields(texts: FieldTexts, action: TaskAction, nth: number, source: TaskSource) {
  const shown = shownTexts(action, source, nth);
  const problems: FieldProblem[] = [];
  let [task, text]: [WrittenTask, string] = [{}, ''];
  for (const field of fieldsOf(action)) {
    const typed = heard(texts[field.key] ?? shown[field.key] ?? '').trim();
    if (!isWritten(field, typed, action, shown)) continue;
    const { written, yaml } = readAlone(field, typed);
    if (typeof written === 'string') problems.push({ nth, key: field.key, text: written });
    else [task, text] = [{ ...task, ...written }, `${text}${yaml.trimEnd()}\n`];
  }
  return { task, text, problems };
}

/**
 * Only what differs is said, but for what each new task has to say itself; there, an empty field means that
 * it is inherited.
 */
function isWritten({ key, list }: TaskField, typed: string, action: TaskAction, shown: FieldTexts): boolean {
  const isNew = formOf(action).of === 'tasks';
  if (key === 'description' && isNew) return true;
  if (typed === '' && !list && (isNew || key === 'settings')) return false;
  if (key === 'name') return true;
  return typed !== heard(shown[key] ?? '').trim();
}

/** A field as the only one of a task, so that what is wrong with it can stand beside it. */
function readAlone({ key, list }: TaskField, typed: string) {
  if (key === 'settings') return { written: onlySettings(readTaskDocuments(typed)), yaml: typed };
  const lines = typed.split('\n').map((line) => line.trim());
  const fields = { [key]: list ? lines.filter((line) => line !== '') : typed };
  const read = readTaskFields(fields);
  return { written: 'problem' in read ? read.problem : (read.tasks[0] ?? {}), yaml: printed(fields) };
}

function onlySettings(read: TaskReading): WrittenTask | string {
  if ('problem' in read) return read.problem;
  const [task, ...more] = read.tasks;
  if (task === undefined || more.length > 0) return 'Expected the settings of one task: leave out `---`.';
  const other = Object.keys(task).find((key) => key !== 'overrides');
  return other === undefined ? task : `\`${other}\` has a field of its own.`;
}

/** What the command itself does not take, each at the field without which that would not be so. */
function combined(action: TaskAction, tasks: readonly WrittenTask[]): readonly FieldProblem[] {
  const changed = harmless.flatMap(({ key, is }) =>
    [...tasks.keys()].toReversed().map((nth) => {
      const others = tasks.map((task, index) => (index === nth ? { ...task, ...is } : task));
      return { nth, key, left: problemsOf(action, others) };
    }),
  );
  return problemsOf(action, tasks).map((text) => {
    const { nth, key } = changed.find(({ left }) => !left.includes(text)) ?? lastName(tasks);
    return { nth, key, text };
  });
}

/** Values that are never wrong: a field has a problem if it goes away with one of these in its place. */
const harmless: readonly { readonly key: FieldKey; readonly is: WrittenTask }[] = [
  { key: 'depends_on', is: { depends_on: [] } },
  { key: 'description', is: { description: 'anything' } },
  { key: 'name', is: { name: 'a-name-that-nobody-else-has' } },
];

function lastName({ length }: readonly WrittenTask[]) {
  return { nth: length - 1, key: 'name' } as const;
}

function problemsOf(action: TaskAction, tasks: readonly WrittenTask[]): readonly string[] {
  const command = parseSlashCommand({ word: action, line: '', body: '' }, () => ({ tasks }));
  return command?.type === 'misspoken' ? command.problem.split('\n') : [];
}

function firstOfEach(problems: readonly FieldProblem[]): readonly FieldProblem[] {
  return problems.filter(
    ({ nth, key }, index) => problems.findIndex((each) => each.nth === nth && each.key === key) === index,
  );
}
