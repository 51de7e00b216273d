import type { Event } from '../steering/event.ts';
import type { State } from '../steering/state.ts';
import type { RefNamespace } from './refs.ts';

/** The newest commit of a ledger with its content. */
export interface LedgerHead {
  readonly commit: string;
  readonly namespace: RefNamespace;
  readonly state: State;
  /** `events.jsonl`, one event per line, oldest first. */
  readonly log: string;
  /** The ids of all its events. */
  readonly seen: ReadonlySet<string>;
}

/** An event's line in `events.jsonl`. */
export function logLine(event: Event): string {
  return `${JSON.stringify(event)}\n`;
}
