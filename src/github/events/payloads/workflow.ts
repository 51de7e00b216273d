import { z } from 'zod';
import type { GitHubEvent } from '../github-event.ts';
import { envelope, originOf } from './parts.ts';

/** What the payload of a workflow's own event lacks and its door knows. */
export interface WorkflowRun {
  /** `GITHUB_RUN_ID` */
  readonly run_id: number;
}

const inputs = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
  .nullish()
  .transform((given) =>
    Object.fromEntries(Object.entries(given ?? {}).map(([name, value]) => [name, String(value ?? '')])),
  );

const dispatch = envelope.extend({ inputs });

/** Somebody started the workflow by hand, or an App did. */
export function readDispatch(raw: unknown, { run_id }: WorkflowRun): GitHubEvent[] {
  const parsed = dispatch.parse(raw);
  return [{ kind: 'dispatch', ...originOf(parsed), run_id, inputs: parsed.inputs }];
}

/** The clock has no sender; the Actions app stands in where GitHub names none. */
const schedule = envelope.extend({
  sender: envelope.shape.sender.default({ login: 'github-actions[bot]', bot: true }),
});

export function readSchedule(raw: unknown): GitHubEvent[] {
  return [{ kind: 'schedule', ...originOf(schedule.parse(raw)) }];
}
