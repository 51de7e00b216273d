import type { AttemptResources } from '../agent/index.ts';
import type { Mirror } from '../git/mirror.ts';
import type { Attachments } from '../ledger/attachments.ts';
import type { LedgerSnapshot } from '../ledger/ledger.ts';
import type { RunBase, SettingsReading } from '../repository/configuration.ts';
import type { Repository } from '../repository/repository.ts';
import type { Settings } from '../steering/shapes/settings.ts';
import type { Event } from '../steering/state/event.ts';
import type { Recorded } from '../steering/state/ports.ts';
import type { State } from '../steering/state/state.ts';

/** A run, as far as whoever carries out its attempts has to know it. */
export interface AttemptedRun {
  readonly repository: Repository;
  /** The pull request's number. */
  readonly number: number;
  /** `owner/repo#n` */
  readonly name: string;
  /** The newest state this process knows. */
  readonly newest: State | undefined;
  /** Resolves when the event is in the ledger. */
  record(event: Event, attachments?: Attachments): Promise<Recorded>;
  /** Reads the ledger from the remote; undefined if there is none. */
  readLedger(): Promise<LedgerSnapshot | undefined>;
  /** A file of the ledger, such as `iterations/0/1/implement/prompt.md`. */
  artefact(path: string): Promise<string | undefined>;
  /** The settings that hold for a base now, from the default branch. */
  readSettings(at: RunBase): Promise<SettingsReading>;
}

/** Work that takes a place of the engine, with what an attempt works with; the signal ends it. */
export type Lent<T> = (
  using: { resources(mirror: Mirror, settings: Settings): Promise<AttemptResources> },
  signal: AbortSignal,
) => Promise<T>;

/** Carries out the work that is queued, each under a lease. */
export interface Engine {
  /** Starts queued work and stops outdated work; returns immediately. */
  engage(run: AttemptedRun, state: State): void;
  /** Does other work of the verifiers' kind in one of its places; until one is free, it waits. */
  lend<T>(work: Lent<T>): Promise<T>;
  /** Resolves when nothing is running or waiting. */
  idle(): Promise<void>;
  /** Stops all work and releases it for other processes. */
  stop(): Promise<void>;
}
