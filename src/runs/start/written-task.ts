import { defined } from '../../config/schema/schema-forms.ts';
import type { TaskReading } from '../../config/tasks/task-documents.ts';
import { formIn } from '../../github/markdown/issue-form.ts';
import { blockIn } from '../../github/markdown/task-blocks.ts';
import { readIssueText } from '../../github/read/edits.ts';
import { roleOf } from '../../github/read/roles.ts';
import { oneTask, type WrittenTask } from '../../steering/commands/spec.ts';
import { type Account, covers } from '../../steering/shapes/people.ts';
import { redactAll } from '../../text/redact.ts';
import type { Starting } from './starting.ts';

/** What a task says in blocks or a form, and the words beside that. */
export interface Written {
  /** Those of the issue, then those after `/run`. */
  readonly blocks: readonly WrittenTask[];
  /** After `/run`, and in the issue. */
  readonly words: readonly string[];
  /** Who keeps the fields of the issue from counting; absent: they count, or there are none. */
  readonly untrusted?: string;
  /** What is wrong with the fields, whoever wrote them; a task with such does not start. */
  readonly problems: readonly string[];
}

/**
 * Reads the block after `/run`, and the block or the form of the issue. The former wins key by key, for
 * whoever asks for the run has read the issue, but what either of them tightens holds. Strangers may write
 * issues, where a verifier of theirs would be run: what somebody without write access has written there, or
 * edited, is text.
 */
export async function writtenTask(starting: Starting): Promise<Written> {
  const { text, issue } = redactAll({ text: starting.request.text, issue: starting.request.issue });
  const said = blockIn(text);
  const spoken = taskIn(said.read);
  const body = issue?.body ?? '';
  const { read, rest } = fieldsIn(body);
  const alone = { blocks: [spoken.task], words: [said.rest, body], problems: spoken.problems };
  if (issue === null || read === undefined) return alone;
  const untrusted = await untrustedWriter(starting, issue.number);
  if (untrusted !== undefined) return { ...alone, untrusted };
  const fields = taskIn(read);
  return {
    blocks: [fields.task, spoken.task],
    words: [said.rest, rest],
    problems: [...fields.problems, ...spoken.problems],
  };
}

/** What several blocks say of the task together; each also tightens what the ones before do. */
export function taskInAll(blocks: Written['blocks']): WrittenTask {
  return Object.assign({}, ...blocks);
}

/** The start with what the task says of its settings, besides what the workflow says itself. */
export function asWritten(starting: Starting, { blocks }: Written): Starting {
  const written = blocks.flatMap(({ overrides = {} }) => [overrides]);
  const { worker_profile } = taskInAll(blocks);
  const startOptions = { ...starting.startOptions, written, ...defined({ worker_profile }) };
  return { ...starting, startOptions };
}

function fieldsIn(body: string): { readonly read: TaskReading | undefined; readonly rest: string } {
  const form = formIn(body);
  if (form !== undefined) return { read: form, rest: '' };
  const { read, rest } = blockIn(body);
  return { read, rest };
}

function taskIn(read: TaskReading = { tasks: [{}] }): {
  readonly task: WrittenTask;
  readonly problems: readonly string[];
} {
  const task = 'problem' in read ? read : oneTask(read.tasks);
  if (!('problem' in task)) return { task, problems: [] };
  const { readable = {} } = 'problem' in read ? read : {};
  return { task: readable, problems: task.problem.split('\n') };
}

/** More people than edit an issue; each costs a request. */
const maxWriters = 20;

/** Who wrote or changed the issue and has no write access, in part of a sentence; undefined if nobody. */
async function untrustedWriter({ repository }: Starting, number: number): Promise<string | undefined> {
  const { octokit } = repository;
  const { author, changes, listed_since } = await readIssueText(octokit, repository, number);
  const all = [...(author === null ? [] : [author]), ...changes.map(({ by }) => by)];
  const writers = new Map<number, Account>(all.map((by) => [by.id, by]));
  if (author === null || writers.has(0) || listed_since !== null || writers.size > maxWriters)
    return 'not everybody is known who wrote or edited it';
  for (const writer of writers.values()) {
    const { role } = await roleOf(octokit, repository, writer);
    if (!covers(role, 'write')) return `${writer.login}, who wrote or edited it, has no write access`;
  }
  return undefined;
}
