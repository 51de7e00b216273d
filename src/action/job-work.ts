import { isRelevant, noRuns } from '../github/events/delivery.ts';
import type { GitHubEvent } from '../github/events/github-event.ts';
import { readActionEvent } from '../github/events/payloads.ts';
import type { ActionInputs } from './inputs.ts';

/** What a job has to do. */
export type JobWork =
  | { readonly kind: 'sweep' }
  | { readonly kind: 'events'; readonly events: readonly GitHubEvent[] }
  /** The event cannot concern a run. */
  | { readonly kind: 'nothing' };

/** Decides that from the inputs and the event alone, without any request. */
export function workFrom({ mode, eventName, payload, runId }: ActionInputs): JobWork {
  if (mode === 'sweep' || eventName === 'schedule') return { kind: 'sweep' };
  const events = readActionEvent(eventName, payload, { run_id: runId }).filter(concernsRun);
  const [first] = events;
  if (first === undefined) return { kind: 'nothing' };
  if (first.kind === 'dispatch' && (first.inputs['prompt'] ?? '').trim() === '') {
    throw new Error('input prompt is empty: expected the task, as in `prompt: Fix the flaky test`');
  }
  return { kind: 'events', events };
}

/** A check run of the Action is no gate, so it makes none for pull requests that are not runs. */
function concernsRun(incoming: GitHubEvent): boolean {
  return incoming.kind !== 'pull_changed' && isRelevant(incoming, noRuns);
}
