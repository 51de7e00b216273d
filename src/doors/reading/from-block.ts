import { type BlockState, readBlock } from '../../github/show/block.ts';
import { riskOf } from '../../steering/shapes/gate-rules.ts';
import type { InboxEntry, RunSummary } from '../report/shapes.ts';
import { inboxEntryShape, runSummaryShape } from '../report/shapes.ts';

/** The part of a pull request that is read, in a list as alone. */
export interface Described {
  readonly url: string;
  readonly body: string;
  readonly updated_at: string;
}

/** What a pull request's body says of its run, which anybody with write access can change. */
export function summaryFrom(pull: Described, id: string): RunSummary | undefined {
  const block = readBlock(pull.body, id);
  const summary = block && runSummaryShape.safeParse(summaryOf(block, pull, id));
  return summary?.data;
}

/** The same of a run that waits for people; undefined if it does not. */
export function entryFrom(pull: Described, id: string): InboxEntry | undefined {
  const block = readBlock(pull.body, id);
  const open = block?.open_interaction;
  if (block === undefined || open === null || open === undefined) return undefined;
  const timeout = open.auto_approve_timeout ?? null;
  const entry = inboxEntryShape.safeParse({
    ...summaryOf(block, pull, id),
    kind: open.kind,
    reason: open.reason ?? '',
    risk_level: open.risk_level ?? riskOf(block.gates),
    waiting_since: open.opened_at,
    proceeds_at: timeout === null ? null : later(open.opened_at, timeout),
  });
  return entry.data;
}

function summaryOf(block: BlockState, { url, updated_at }: Described, id: string): RunSummary {
  const { task, phase, iteration, max_iterations, score, band, head_sha } = block;
  const facts = { phase, iteration, max_iterations, score, band, head_sha };
  return { ...facts, run: id, title: task.title, url, updated_at, trust: 'unverified' };
}

/** Unreadable if the time is; the schema says what then. */
function later(at: string, seconds: number): string {
  const time = Date.parse(at) + seconds * 1000;
  return Number.isNaN(time) ? at : new Date(time).toISOString();
}
