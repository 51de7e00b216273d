import { z } from 'zod';
import type { GitHubEvent } from '../github-event.ts';
import { envelope, originOf } from './parts.ts';

/** Facts about the workflow run that its payload lacks. */
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

/** The workflow was started manually or by an App. */
export function readDispatch(raw: unknown, { run_id }: WorkflowRun): GitHubEvent[] {
  const parsed = dispatch.parse(raw);
  return [{ kind: 'dispatch', ...originOf(parsed), run_id, inputs: parsed.inputs }];
}

/** A schedule may have no sender; the Actions app stands in for it. */
const schedule = envelope.extend({
  sender: envelope.shape.sender.default({ login: 'github-actions[bot]', id: 0, bot: true }),
});

export function readSchedule(raw: unknown): GitHubEvent[] {
  return [{ kind: 'schedule', ...originOf(schedule.parse(raw)) }];
}
