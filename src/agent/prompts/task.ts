import type { State } from '../../steering/state.ts';
import type { Task } from '../../steering/task.ts';
import { list, oneLine, paragraphs, quoted, section } from './text.ts';

/** The first prompt of a run: the task and its acceptance criteria. */
export function taskPrompt({ task }: State): string {
  return paragraphs(
    section('## Task', taskText(task)),
    section('### Acceptance Criteria', list(task.acceptance_criteria)),
  );
}

/** Title and description; a description that only repeats the title is left out. */
export function taskText({ title, description }: Task): string {
  const heading = oneLine(quoted(title));
  const body = quoted(description);
  return paragraphs(heading, body === heading ? null : body);
}
