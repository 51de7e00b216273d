import { readTaskFields } from '../../config/tasks/task-documents.ts';
import type { StartRequest } from '../../github/listen/heard.ts';
import { acceptanceCriteria } from '../../github/markdown/issue-form.ts';
import type { Task } from '../../steering/shapes/task.ts';
import { shortened } from '../../text/characters.ts';
import { redactAll } from '../../text/redact.ts';
import type { Base } from './base.ts';
import type { Starting } from './starting.ts';
import { taskInAll, type Written } from './written-task.ts';

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
  { request, repository }: Starting,
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
