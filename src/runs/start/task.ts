import type { StartRequest } from '../../github/listen/run-event.ts';
import { acceptanceCriteria } from '../../github/markdown/acceptance-criteria.ts';
import type { Task } from '../../steering/task.ts';
import { shortened } from '../../text/cut.ts';
import { redactAll } from '../../text/redact.ts';

type TaskRequest = Pick<StartRequest, 'issue' | 'text' | 'cause'>;

const longestTitle = 120;

/**
 * The task of a request; text after `/run` goes before the text of the issue. A token that somebody pasted
 * there does not enter the ledger.
 */
export function taskOf({ cause, ...given }: TaskRequest, repository: string, base: string): Task {
  const request = { cause, ...redactAll(given) };
  const { issue, text } = request;
  const description = [text, issue?.body ?? ''].filter((part) => part.trim() !== '').join('\n\n');
  return {
    id: issue === null ? request.cause : `issue-${issue.number}`,
    title: titleOf(request),
    description: description === '' ? titleOf(request) : description,
    acceptance_criteria: acceptanceCriteria(description),
    repository,
    base,
    component: '',
    kind: 'build',
    worker_profile: '',
    depends_on: [],
  };
}

function titleOf({ issue, text }: TaskRequest): string {
  const title = (issue?.title ?? text.split('\n', 1)[0] ?? '').trim();
  return shortened(title, longestTitle) || 'Untitled task';
}
