import { type Document, dump, SCALAR_STYLE, visit } from 'js-yaml';
import type { z } from 'zod';
import type { Problem as Misspoken, WrittenTask } from '../../steering/commands/spec.ts';
import type { TaskOverrides } from '../../steering/shapes/settings.ts';
import type { Task } from '../../steering/shapes/task.ts';
import { control, ignorable } from '../../text/characters.ts';
import { redacted } from '../../text/redact.ts';
import { overrideKeys } from '../overrides.ts';
import { checkAll, inOrder, problemAt, type Reading } from '../problems.ts';
import { type Path, type Problem, problemText } from '../schema/config-problem.ts';
import { valueAt, withDefaults, withLongForms } from '../schema/document.ts';
import { linesIn, parseYamlDocuments } from '../yaml.ts';
import { maxDependencies, referencesIn, startSchema, taskKeys, taskSchema } from './task-schema.ts';

export type TaskReading =
  | { readonly tasks: readonly WrittenTask[] }
  /**
   * `problem` is all of them in words, one per line. What it depends on and its profile are told all the same, as
   * far as they can be read, so that what is wrong with those need not wait for the rest to be mended.
   */
  | (Misspoken & { readonly problems: readonly Problem[]; readonly readable?: Readable });

type Readable = Pick<WrittenTask, 'depends_on' | 'worker_profile'>;

const maxTasks = 10;

const wanted = {
  example: 'description: Take the clock of the server.',
  expected: 'a task',
  received: 'a block without one',
};

/**
 * The tasks that a block describes, a document each, or everything that is wrong with it. `isStart`: a run is
 * asked for with it, and no other task is changed or replaced.
 */
export function readTaskDocuments(text: string, isStart = false): TaskReading {
  const parsed = parseYamlDocuments(text, wanted);
  if (parsed.outcome === 'unreadable') return refusedFor([{ ...parsed.problem, path: 'the block' }]);
  const documents = Array.isArray(parsed.document) ? parsed.document : [];
  if (documents.length > maxTasks) {
    const received = `${documents.length} tasks`;
    const expected = `at most ${maxTasks} tasks, between \`---\``;
    return refusedFor([{ path: 'the block', expected, received, example: '' }]);
  }
  const read = documents.map((document, index) => checkTask(document, linesIn(text, index), isStart));
  const placed = (problem: Problem, index: number): Problem => {
    const task = documents.length === 1 ? 'the task' : `task ${index + 1}`;
    if (problem.path === '') return { ...problem, path: task };
    return documents.length === 1 ? problem : { ...problem, path: `${task}, ${problem.path}` };
  };
  const problems = read.flatMap(({ problems: own }, index) => own.map((problem) => placed(problem, index)));
  if (problems.length === 0) return { tasks: read.flatMap(({ task }) => task ?? []) };
  const [document] = documents;
  return { ...refusedFor(problems), ...(documents.length === 1 && { readable: readableIn(document) }) };
}

/** Reads what is already a mapping, such as the fields of a form: nobody could be told a line. */
export function readTaskFields(fields: Readonly<Record<string, unknown>>): TaskReading {
  const { task, problems } = checkTask(fields, () => undefined, false);
  if (task !== undefined) return { tasks: [task] };
  return { ...refusedFor(problems), readable: readableIn(fields) };
}

function readableIn(written: unknown): Readable {
  const { depends_on, worker_profile } = Object(inOurWords(written).document);
  // Those of a list that is too long need not be looked up.
  const isRead = Array.isArray(depends_on) && depends_on.length <= maxDependencies;
  const names: readonly unknown[] = isRead ? depends_on : [];
  return {
    depends_on: referencesIn(names.map(String)).filter((name) => name.startsWith('#')),
    ...(typeof worker_profile === 'string' && { worker_profile }),
  };
}

/** How many are listed: whoever has more has one reason for most of them. */
const maxProblems = 20;

export function refusedFor(
  problems: readonly Problem[],
): Misspoken & { readonly problems: readonly Problem[] } {
  const lines = problems.slice(0, maxProblems).map((problem) => {
    const example = problem.example.trimEnd();
    const isShort = example !== '' && !example.includes('\n');
    const ticks = example.includes('`') ? '``' : '`';
    return `${problemText(problem)}${isShort ? `, such as ${ticks}${example}${ticks}` : ''}`;
  });
  const more = problems.length > maxProblems ? ['and more'] : [];
  return { problem: [...lines, ...more].join('\n'), problems };
}

function checkTask(written: unknown, lineOf: Reading['lineOf'], isStart: boolean) {
  const { document, names, twice } = inOurWords(written);
  const asWritten = ([key, ...rest]: Path): Path =>
    key === undefined ? [] : [names.get(key) ?? key, ...rest];
  const reading = {
    document: withLongForms(taskSchema, document),
    schema: isStart ? startSchema : taskSchema,
    lineOf: (path: Path) => lineOf(asWritten(path)),
  };
  const { problems, data, mended } = checkAll(reading);
  const double = twice.map(([word, key]) => ({
    ...problemAt([word], `one word for ${key}, which is written too`, {
      ...reading,
      document: written,
      lineOf,
    }),
  }));
  const modes =
    data?.require_approval && valueAt(data, ['approval', 'mode']) !== undefined && mended.length === 0
      ? [problemAt(['require_approval'], 'this or `approval.mode`, which says the same', reading)]
      : [];
  const all = [...problems.map(renamed(names)), ...double, ...modes];
  if (data === undefined || all.length > 0) return { problems: inOrder(all) };
  return { task: taskFrom(withDefaults(taskSchema, reading.document)), problems: [] };
}

/** A problem is told in the word that was written. */
function renamed(names: ReadonlyMap<string | number, string>): (problem: Problem) => Problem {
  return (problem) => {
    const [key = ''] = problem.path.split(/[.[]/, 1);
    const word = names.get(key);
    return word === undefined ? problem : { ...problem, path: word + problem.path.slice(key.length) };
  };
}

/** Other words for keys, as the fields of a resolution are called elsewhere. */
const otherWords: Readonly<Record<string, string>> = {
  modified_description: 'description',
  new_description: 'description',
  modified_criteria: 'acceptance_criteria',
  new_criteria: 'acceptance_criteria',
  new_component: 'component',
  new_phase: 'kind',
  new_worker_profile: 'worker_profile',
  new_dependencies: 'depends_on',
};

/**
 * The document under our own keys; null means absent. `names` has the word that was written, by our key, and
 * `twice` the words for keys that were written under another one already, each with its key.
 */
function inOurWords(written: unknown) {
  const names = new Map<string | number, string>();
  if (typeof written !== 'object' || written === null || Array.isArray(written))
    return { document: written, names, twice: [] };
  const said = Object.entries(written).filter(([, value]) => value !== null);
  const document = new Map(said.filter(([key]) => !Object.hasOwn(otherWords, key)));
  const twice: [string, string][] = [];
  for (const [word, value] of said) {
    const key = Object.hasOwn(otherWords, word) ? otherWords[word] : undefined;
    if (key === undefined) continue;
    if (document.has(key)) twice.push([word, key]);
    else {
      document.set(key, value);
      names.set(key, word);
    }
  }
  return { document: Object.fromEntries(document), names, twice };
}

function taskFrom(written: unknown): WrittenTask {
  // The schema has accepted it.
  const { require_approval, ...read } = written as z.input<typeof taskSchema>;
  const depends_on = read.depends_on && referencesIn(read.depends_on);
  const approval = require_approval ? { ...Object(read.approval), mode: 'manual' as const } : read.approval;
  const entries = Object.entries({ ...read, approval, depends_on });
  const own = entries.filter(([key, value]) => !(key in overrideKeys) && value !== undefined);
  const overrides = tightening(Object.fromEntries(entries.filter(([key]) => key in overrideKeys)));
  // Only keys of a task are left, each as the schema read it.
  const task = Object.fromEntries(own) as WrittenTask;
  return overrides === undefined ? task : { ...task, overrides };
}

/** Leaves out of overrides what is there only by default; undefined if nothing is left. */
export function tightening(overrides: TaskOverrides = {}): TaskOverrides | undefined {
  const said = Object.entries(overrides).filter(
    ([, value]) =>
      value !== undefined && (typeof value !== 'object' || Object.keys(Object(value)).length > 0),
  );
  return said.length === 0 ? undefined : Object.fromEntries(said);
}

/** Longer texts would fill the comment, and nobody edits them there. */
const maxLength = 4000;

/**
 * A task as `/retry` and `/spawn` take it: reading it gives back what was printed. What cannot be printed
 * whole is left out, which means that it stays as it is.
 */
export function taskDocument(task: Task, overrides?: TaskOverrides): string {
  const own = Object.keys(taskKeys).map((key) => [key, task[key as keyof typeof taskKeys]] as const);
  const said = [...own, ...Object.entries(tightening(overrides) ?? {})].filter(([, value]) => isSaid(value));
  const left = said.map(([key, value]) => [key, value, whyLeftOut(key, value)] as const);
  const remarks = left.flatMap(([key, , reason]) =>
    reason === undefined ? [] : [`# ${key} stays as it is: ${reason}\n`],
  );
  const whole = left.filter(([, , reason]) => reason === undefined);
  return remarks.join('') + printed(Object.fromEntries(whole));
}

/** Prints a task as a fenced block, which names the interrupt that it is made for, if it is made for one. */
export function taskBlock(task: Task, overrides?: TaskOverrides, interrupt?: string): string {
  return fencedBlock([taskDocument(task, overrides) + printed(interrupt === undefined ? {} : { interrupt })]);
}

/** The fenced block of tasks, a document each, whose last line is ended; nothing in them ends it. */
export function fencedBlock(documents: readonly string[]): string {
  const text = documents.join('---\n');
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}yaml coxswain\n${text}${fence}`;
}

function isSaid(value: unknown): boolean {
  return value !== '' && !(Array.isArray(value) && value.length === 0);
}

function whyLeftOut(key: string, value: unknown): string | undefined {
  const text = JSON.stringify(value);
  if (text.includes(redacted)) return 'a secret was removed from it';
  if (text.length > maxLength) return 'it is too long to be shown here';
  const schema = Object.hasOwn(taskKeys, key) ? taskKeys[key as keyof typeof taskKeys] : undefined;
  return schema === undefined || schema.safeParse(value).success ? undefined : 'it cannot be written here';
}

/** What is dropped on the way through a comment, or would be taken for a marker of ours. */
const unprintable = new RegExp(`${control.source}|${ignorable.source}|\\uFFFD|<(?=!)`, 'gu');

/**
 * Some keys of a task document, as YAML that reads back as the same; empty if there is none. Only within
 * double quotes does YAML have other words for a character.
 */
export function printed(document: Readonly<Record<string, unknown>>): string {
  if (Object.keys(document).length === 0) return '';
  return dump(document, { lineWidth: -1, noRefs: true, transform: quoted }).replace(
    unprintable,
    (character) => `\\U${(character.codePointAt(0) ?? 0).toString(16).padStart(8, '0')}`,
  );
}

function quoted(documents: Document[]): void {
  visit(documents, (node) => {
    if (node.kind === 'scalar' && node.value.search(unprintable) >= 0)
      node.style = SCALAR_STYLE.DOUBLE_QUOTED;
  });
}
