import { isRelevant, noRuns } from '../github/events/delivery.ts';
import type { GitHubEvent, GitHubEventOf } from '../github/events/github-event.ts';
import { readActionEvent } from '../github/events/payloads.ts';
import type { ActionInputs } from './inputs.ts';

/** What a job has to do. */
export type JobWork =
  | { readonly kind: 'sweep' }
  | { readonly kind: 'events'; readonly events: readonly GitHubEvent[] }
  /** The event cannot concern a run. */
  | { readonly kind: 'nothing' };

/** Decides that from the inputs and the event alone, without any request. */
export function workFrom(inputs: ActionInputs): JobWork {
  const { mode, eventName, payload, runId: run_id, startedBy: started_by, filledIn } = inputs;
  if (mode === 'sweep' || eventName === 'schedule') return { kind: 'sweep' };
  const events = readActionEvent(eventName, payload, { run_id, started_by }).filter(concernsRun);
  const [first] = events;
  if (first === undefined) return { kind: 'nothing' };
  if (first.kind === 'dispatch') requireWork(first, filledIn);
  return { kind: 'events', events };
}

/** A check run of the Action is no gate, so it makes none for pull requests that are not runs. */
function concernsRun(incoming: GitHubEvent): boolean {
  return incoming.kind !== 'pull_changed' && isRelevant(incoming, noRuns);
}

/** Throws unless a manual start says what it is for: a task, or a command on a run. */
function requireWork(
  { inputs }: GitHubEventOf<'dispatch'>,
  filledIn: Readonly<Record<string, unknown>>,
): void {
  const has = (name: string) => (inputs[name] ?? '').trim() !== '';
  const isCommand = has('run') || has('command');
  if (!isCommand && !has('prompt'))
    throw new Error(
      'input prompt is empty: expected the task, as in `prompt: Fix the flaky test`, ' +
        "or `run` and `command`, as in `run: '#12'` and `command: /steer Use BigInt`",
    );
  if (isCommand && has('prompt'))
    throw new Error(
      'inputs prompt and command are both set: expected prompt, which starts a run, or a command for one',
    );
  const [other] = isCommand ? Object.keys(filledIn) : [];
  if (other === undefined) return;
  throw new Error(
    `input ${other} is set: expected it with prompt only, because a command changes no settings`,
  );
}
