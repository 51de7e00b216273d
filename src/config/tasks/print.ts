import { type Document, dump, SCALAR_STYLE, visit } from 'js-yaml';
import type { TaskOverrides } from '../../steering/shapes/settings.ts';
import type { Task } from '../../steering/shapes/task.ts';
import { redacted } from '../../text/redact.ts';
import { control, ignorable } from '../../text/visible.ts';
import { tightening } from './read.ts';
import { taskKeys } from './schema.ts';

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

/** The same as a fenced block, which names the interrupt that it is made for, if it is made for one. */
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
