import type { Task } from '../../steering/task.ts';
import { oneLine, paragraphs, quoted } from './text.ts';

/** Title and description; a description that only repeats the title is left out. */
export function taskText({ title, description }: Task): string {
  const heading = oneLine(quoted(title));
  const body = quoted(description);
  return paragraphs(heading, body === heading ? null : body);
}
