import type { InboxEntry, RunSummary } from '../doors/report/report-shapes.ts';
import { inboxEntry, runSummary } from '../doors/report/run-report.ts';
import { RecentMap } from '../repository/recent-map.ts';
import { type Repository, webOf } from '../repository/repository.ts';
import { isOver } from '../steering/phases/table.ts';
import { severities } from '../steering/shapes/gate-rules.ts';
import type { State } from '../steering/state/state.ts';
import { shortened } from '../text/characters.ts';

/** What is kept of a run for a list, instead of its whole state. */
export interface Listed<T> {
  /** What others may have named like it since is another repository. */
  readonly repository_id: number;
  readonly owner: string;
  readonly repo: string;
  /** By this it is sorted; no other entry has the same. */
  readonly order: string;
  readonly entry: T;
}

interface Indexed {
  /** In a list of these the newest comes first. */
  readonly run: Listed<RunSummary>;
  /** Riskiest first, then oldest; absent unless it waits for people. */
  readonly waiting: Listed<InboxEntry> | undefined;
}

const maxOpen = 20_000;
const maxEnded = 5000;

/** Texts of a list are read at a glance; the run itself has them whole. */
const maxText = 300;

/** Every run that this process has read or recorded, however few of them are open in it. */
export class RunIndex {
  readonly #open = new RecentMap<string, Indexed>({ max: maxOpen });
  readonly #ended = new RecentMap<string, Indexed>({ max: maxEnded });

  note(repository: Repository, state: State): void {
    const key = `${repository.id}#${state.run.number}`;
    const [into, outOf] = isOver(state.standing.phase)
      ? [this.#ended, this.#open]
      : [this.#open, this.#ended];
    outOf.delete(key);
    into.set(key, indexed(key, state, repository));
  }

  /** All that are known, in no order. */
  runs(): readonly Listed<RunSummary>[] {
    return [...this.#open.values(), ...this.#ended.values()].map(({ run }) => run);
  }

  /** Those that wait for people. */
  waiting(): readonly Listed<InboxEntry>[] {
    return [...this.#open.values()].flatMap(({ waiting }) => waiting ?? []);
  }

  /** Whether some that have not ended may have been forgotten for newer ones. */
  get isFull(): boolean {
    return this.#open.size >= maxOpen;
  }
}

function indexed(key: string, state: State, repository: Repository): Indexed {
  const context = { web: webOf(repository), trust: 'verified' } as const;
  const where = { repository_id: repository.id, owner: repository.owner, repo: repository.name };
  const summary = runSummary(state, context);
  const waiting = inboxEntry(state, context);
  const newestFirst = `${padded(1e14 - Date.parse(summary.updated_at))} ${key}`;
  return {
    run: { ...where, order: newestFirst, entry: brief(summary) },
    waiting: waiting && { ...where, order: `${riskiestFirst(waiting)} ${key}`, entry: brief(waiting) },
  };
}

function brief<T extends RunSummary>(entry: T): T {
  const reason = 'reason' in entry && { reason: shortened(String(entry.reason), maxText) };
  return { ...entry, title: shortened(entry.title, maxText), ...reason };
}

function riskiestFirst({ risk_level, waiting_since }: InboxEntry): string {
  // A risk that is not known is among the high ones, as for `byUrgency`.
  const rank = severities.indexOf(risk_level ?? 'high');
  return `${severities.length - rank} ${padded(Date.parse(waiting_since))}`;
}

/** Numbers of the same length are sorted as texts. */
function padded(milliseconds: number): string {
  return String(milliseconds).padStart(15, '0');
}
