import { defined } from '../../config/schema/schema-forms.ts';
import { readTaskFields, type TaskReading } from '../../config/tasks/task-documents.ts';
import type { StartRequest } from '../../github/listen/heard.ts';
import { acceptanceCriteria, formIn } from '../../github/markdown/issue-form.ts';
import { blockIn } from '../../github/markdown/task-blocks.ts';
import { readIssueText } from '../../github/read/edits.ts';
import { roleOf } from '../../github/read/roles.ts';
import { maySpeak } from '../../steering/approval/authorization.ts';
import { oneTask, type WrittenTask } from '../../steering/commands/spec.ts';
import { type Account, covers } from '../../steering/shapes/people.ts';
import type { Settings } from '../../steering/shapes/settings.ts';
import type { Task } from '../../steering/shapes/task.ts';
import { shortened } from '../../text/characters.ts';
import { redactAll } from '../../text/redact.ts';
import type { Base } from './start-base.ts';
import { CannotStart, type Starting } from './starting.ts';

type TaskRequest = Pick<StartRequest, 'issue' | 'text' | 'cause'>;

export const longestTitle = 120;

/**
 * The task of a request; text after `/run` goes before the text of the issue, and what a block or a form says
 * before both. The list of criteria is no part of the description, whether it counts or a block has another
 * one. A token that somebody pasted there does not enter the ledger.
 */
export function taskOf(
  { cause, ...given }: TaskRequest,
  repository: string,
  base: string,
  written: Pick<Written, 'blocks' | 'words'> = { blocks: [], words: [given.text, given.issue?.body ?? ''] },
): Task {
  const { issue, blocks, words } = redactAll({ issue: given.issue, ...written });
  const task = taskInAll(blocks);
  const [said = '', body = ''] = words;
  // Words beside a description of its own say more; those of the issue have led to it.
  const parts = [said, task.description ?? body].map(acceptanceCriteria);
  const description = parts.flatMap(({ rest }) => (rest.trim() === '' ? [] : rest)).join('\n\n');
  const criteria = parts.flatMap((part) => part.criteria);
  const listed = criteria.length > 0 ? criteria : acceptanceCriteria(body).criteria;
  const title = task.title ?? titleOf(issue?.title ?? firstLine(description));
  return {
    id: issue === null ? cause : `issue-${issue.number}`,
    title,
    description: description === '' ? title : description,
    acceptance_criteria: task.acceptance_criteria ?? listed,
    repository,
    base,
    component: task.component ?? '',
    kind: task.kind ?? 'build',
    worker_profile: task.worker_profile ?? '',
    depends_on: task.depends_on ?? [],
  };
}

/** A task, and what is wrong with it, each in a sentence: then it does not start. */
export interface CheckedTask {
  readonly task: Task;
  readonly problems: readonly string[];
}

/**
 * The same for a run that is to start, with all that is known to be wrong by now. Its criteria may have been
 * listed in plain words without end.
 */
export function checkedTask(
  { request, runs: { repository } }: Starting,
  { base, problems }: Pick<Base, 'base' | 'problems'>,
  written?: Written,
): CheckedTask {
  const task = taskOf(request, `${repository.owner}/${repository.name}`, base, written);
  const { acceptance_criteria } = task;
  const read = readTaskFields({ acceptance_criteria });
  const tooMany = 'problem' in read ? read.problem.split('\n') : [];
  return { task, problems: [...(written?.problems ?? []), ...problems, ...tooMany] };
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

function titleOf(text: string): string {
  return shortened(text.trim(), longestTitle) || 'Untitled task';
}

/** What a task says in blocks or a form, and the words beside that. */
interface Written {
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
function taskInAll(blocks: Written['blocks']): WrittenTask {
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
async function untrustedWriter(
  { runs: { repository } }: Starting,
  number: number,
): Promise<string | undefined> {
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

/** Refuses a run that another App requested on behalf of a person, unless the configuration lists the App. */
export function requireOwnWords({ request: { via_app } }: Starting, { approval }: Settings): void {
  if (via_app === undefined || maySpeak(approval, via_app)) return;
  throw new CannotStart({ why: 'said_by_app', app: via_app });
}

/** Refuses a run of which nothing is there yet if somebody else has run the job again that asked for it. */
export function requireOwnJob({ request: { by, again_by } }: Starting): void {
  if (again_by !== undefined) throw new CannotStart({ why: 'run_again', by: by.login, again_by });
}
