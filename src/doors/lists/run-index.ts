import { RecentMap } from '../../repository/recent-map.ts';
import { type Repository, webOf } from '../../repository/repository.ts';
import { type Audience, audienceOf, teamsAsked } from '../../steering/audience.ts';
import { graveConcerns, reviewOf } from '../../steering/confidence/evaluation.ts';
import { spentBefore } from '../../steering/iterations/spending.ts';
import { isOver, supersededBy } from '../../steering/phases/table.ts';
import type { Cost } from '../../steering/shapes/attempt-result.ts';
import { riskOf, type Severity, severities } from '../../steering/shapes/gate-rules.ts';
import type { State } from '../../steering/state/state.ts';
import { shortened } from '../../text/characters.ts';
import type { InboxEntry, RunSummary } from '../report/report-shapes.ts';
import { inboxEntry, runSummary } from '../report/run-report.ts';

/** What is kept of a run for a list, instead of its whole state. */
export interface Listed<T> {
  /** What others may have named like it since is another repository. */
  readonly repository_id: number;
  readonly owner: string;
  readonly repo: string;
  readonly number: number;
  /** By this it is sorted; no other entry has the same. */
  readonly order: string;
  readonly entry: T;
  readonly facts: RunFacts;
}

/** What a person decides by which run to look at, beside what every list tells. */
interface RunFacts {
  /** Of the commit that was judged last; null if none was. */
  readonly risk: Severity | null;
  /** How many open concerns of the second opinion are grave. */
  readonly grave: number;
  /** Whether the score is of a commit before the work that the run is about now. */
  readonly superseded: boolean;
  readonly cost: Cost;
  /** The issue it was started from. */
  readonly issue: number | null;
  /** Whom it waits for; undefined unless it waits for people. */
  readonly audience: Audience | undefined;
}

/** A team on which a run waits, and a repository of its organization. */
export interface TeamAsked {
  readonly team: string;
  readonly repository_id: number;
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
  readonly #runs = new SortedList<RunSummary>();
  readonly #waiting = new SortedList<InboxEntry>();
  readonly #others = new SortedList<RunSummary>();
  #teams: { readonly version: number; readonly all: readonly TeamAsked[] } = { version: -1, all: [] };
  #version = 0;

  /** Another number whenever a list may have changed. */
  get version(): number {
    return this.#version;
  }

  note(repository: Repository, state: State): void {
    const key = `${repository.id}#${state.run.number}`;
    const [into, outOf] = isOver(state.standing.phase)
      ? [this.#ended, this.#open]
      : [this.#open, this.#ended];
    outOf.delete(key);
    into.set(key, indexed(key, state, repository));
    this.#version += 1;
  }

  /**
   * A repository is gone, or the App is no longer installed there: its id, or the name that leads nowhere.
   */
  forget(repository: number | string): void {
    const isGone = ({ repository_id, owner, repo }: Listed<RunSummary>) =>
      typeof repository === 'number'
        ? repository_id === repository
        : `${owner}/${repo}`.toLowerCase() === repository.toLowerCase();
    for (const all of [this.#open, this.#ended])
      for (const [key, { run }] of [...all]) if (isGone(run)) all.delete(key);
    this.#version += 1;
  }

  /** All that are known, those that changed last first. */
  runs(): readonly Listed<RunSummary>[] {
    return this.#runs.at(this.#version, () =>
      [...this.#open.values(), ...this.#ended.values()].map(({ run }) => run),
    );
  }

  /** Those that wait for people, riskiest first, then oldest. */
  waiting(): readonly Listed<InboxEntry>[] {
    return this.#waiting.at(this.#version, () =>
      [...this.#open.values()].flatMap(({ waiting }) => waiting ?? []),
    );
  }

  /** Those that do not wait for people, those that changed last first. */
  others(): readonly Listed<RunSummary>[] {
    return this.#others.at(this.#version, () =>
      [...this.#open.values(), ...this.#ended.values()].flatMap(({ run, waiting }) =>
        waiting === undefined ? run : [],
      ),
    );
  }

  /** The teams that somebody waits for, each once in each repository. */
  teamsAsked(): readonly TeamAsked[] {
    if (this.#teams.version === this.#version) return this.#teams.all;
    const asked = new Map<string, TeamAsked>();
    for (const { repository_id, facts } of this.waiting())
      for (const team of facts.audience === undefined ? [] : teamsAsked([facts.audience]))
        asked.set(`${repository_id} ${team.toLowerCase()}`, { team, repository_id });
    this.#teams = { version: this.#version, all: [...asked.values()] };
    return this.#teams.all;
  }

  /** Whether some that have not ended may have been forgotten for newer ones. */
  get isFull(): boolean {
    return this.#open.size >= maxOpen;
  }
}

/** A list in its order, which is sorted again when somebody wants it after a change. */
class SortedList<T> {
  #version: number | undefined;
  #sorted: readonly Listed<T>[] = [];

  at(version: number, entries: () => readonly Listed<T>[]): readonly Listed<T>[] {
    if (version === this.#version) return this.#sorted;
    const now = new Set(entries());
    // Most have not changed, and what is nearly in order is sorted at once.
    const kept = this.#sorted.filter((each) => now.delete(each));
    this.#sorted = [...kept, ...now].toSorted((one, other) => (one.order < other.order ? -1 : 1));
    this.#version = version;
    return this.#sorted;
  }
}

function indexed(key: string, state: State, repository: Repository): Indexed {
  const context = { web: webOf(repository), trust: 'verified' } as const;
  const { number } = state.run;
  const where = { repository_id: repository.id, owner: repository.owner, repo: repository.name, number };
  const facts = factsOf(state);
  const summary = runSummary(state, context);
  const waiting = inboxEntry(state, context);
  const newestFirst = `${padded(1e14 - Date.parse(summary.updated_at))} ${key}`;
  return {
    run: { ...where, facts, order: newestFirst, entry: brief(summary) },
    waiting: waiting && {
      ...{ ...where, facts, order: `${riskiestFirst(waiting)} ${key}` },
      entry: brief(waiting),
    },
  };
}

function factsOf(state: State): RunFacts {
  return {
    risk: state.shown && riskOf(state.shown.gates),
    grave: graveConcerns(reviewOf(state, state.head)).length,
    superseded: supersededBy(state) !== undefined,
    cost: spentBefore(state),
    issue: state.run.issue,
    audience: audienceOf(state),
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
