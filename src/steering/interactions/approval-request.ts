import type { Asked } from '../iterations/asked.ts';
import { openInteraction } from '../iterations/interactions.ts';
import { stageOf } from '../iterations/stage.ts';
import { askingRow } from '../phases/table.ts';
import type { Interaction } from '../shapes/standing.ts';
import type { State } from '../state/state.ts';

/** What is put before people, in the same shape whatever it is about. */
export interface ApprovalRequest extends Asked {
  readonly task_id: string;
  /** The stage that the work is in. */
  readonly subtask_id: string;
  /** After how many seconds from `created_at` it goes on by itself; null if it does not. */
  readonly auto_approve_timeout: number | null;
  /** ISO 8601 */
  readonly created_at: string;
}

/** The open interaction of a run as a request; null while nobody is asked. */
export function approvalRequestOf(state: State): ApprovalRequest | null {
  const open = openInteraction(state);
  if (open === null) return null;
  return {
    task_id: state.task.id,
    subtask_id: stageOf(state).name,
    ...askingRow(open.kind).request(state),
    auto_approve_timeout: timeoutOf(state, open),
    created_at: open.opened_at,
  };
}

function timeoutOf({ standing }: State, { opened_at }: Interaction): number | null {
  const proceeds = standing.phase === 'awaiting_approval' ? standing.proceeds : undefined;
  if (proceeds?.on_timeout !== 'proceed') return null;
  return Math.max(0, Math.round((Date.parse(proceeds.at) - Date.parse(opened_at)) / 1000));
}
