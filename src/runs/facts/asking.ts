import type { RecentMap } from '../../repository/recent-map.ts';
import type { EventOf, Stamp } from '../../steering/state/event.ts';
import type { OtherRuns, Run } from '../run/run.ts';
import type { Services } from '../run/services.ts';

/** Of whom something is asked about an event of a run. */
export interface Asking {
  readonly run: Run;
  readonly services: Services;
  readonly others: OtherRuns;
  /** The comments of doors that this process has seen on it, by the digests of their texts. */
  readonly sealed: RecentMap<string, number>;
}

/** What is found out about a command. */
export type SaidFacts = Partial<Omit<EventOf<'said'>, keyof Stamp | 'type'>>;
