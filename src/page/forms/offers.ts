import { LRUCache } from 'lru-cache';
import { parseCommand } from '../../github/markdown/command-parser.ts';
import { answeringTeams, approvalRules, teamsIn } from '../../steering/approval/approval-needs.ts';
import { mayOverride } from '../../steering/approval/authorization.ts';
import type { CommandName } from '../../steering/commands/index.ts';
import { advisableTo, foreseenRefusal, possibleIn } from '../../steering/phases/table.ts';
import type { Person } from '../../steering/shapes/people.ts';
import type { Refusal } from '../../steering/state/pending-effect.ts';
import type { State } from '../../steering/state/state.ts';

/** Who speaks on this page, and what is known of what they said. */
export interface Speaker {
  readonly viewer: Person;
  readonly posting: Posting | undefined;
  /** When the page is rendered, ISO 8601. */
  readonly at: string;
}

/** The commands available now, by what they would come to if they were said on this page. */
export interface Offers {
  /** As far as can be foreseen, they are accepted. */
  readonly offered: readonly CommandName[];
  readonly refused: readonly RefusedOffer[];
  /** The failed verifiers that an approval by this person has to name; empty if there are none. */
  readonly despite: readonly string[];
}

export interface RefusedOffer {
  readonly name: CommandName;
  readonly refusal: Refusal;
  /** What they can say instead. */
  readonly possible: readonly CommandName[];
}

export function offersOf(state: State, { viewer, at }: Omit<Speaker, 'posting'>): Offers {
  // Whether they are in a team is asked when they say it.
  const by = { ...viewer, teams: [...teamsIn(approvalRules(state)), ...answeringTeams(state)] };
  const here = possibleIn(state);
  const possible = advisableTo(state, { by, at });
  const refused = here.flatMap((name) => {
    const refusal = foreseenRefusal(state, name, { by, at });
    return refusal === undefined ? [] : [{ name, refusal, possible }];
  });
  const red = refused.find(({ refusal }) => refusal.why === 'red_verifiers')?.refusal;
  const despite = red?.why === 'red_verifiers' && mayOverride(by) ? red.names : [];
  return {
    offered: here.filter((name) => possible.includes(name)),
    refused: refused.filter(({ refusal }) => !(despite.length > 0 && refusal === red)),
    despite,
  };
}

/** A command that was posted from this page, and that Coxswain has not been heard to take up. */
export interface Posting {
  readonly name: CommandName;
  /** The comment as it was posted. */
  readonly body: string;
  /** `late`: for longer than it usually takes. */
  readonly phase: 'waiting' | 'late';
}

interface Entry extends Omit<Posting, 'phase'> {
  /** The number of the run's newest ledger commit at that time; -1 if it was not known. */
  readonly seq: number;
  readonly at: number;
}

const waitingMs = 15_000;
const forgottenMs = 120_000;

/** What was posted for each run and issue: shown until it is taken up, and not posted twice meanwhile. */
export class Postings {
  readonly #entries = new LRUCache<string, Entry>({ max: 500 });
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Notes what is about to be posted; false if the same is waiting already. */
  begin(path: string, { name, body, seq }: Omit<Entry, 'at'>): boolean {
    const before = this.of(path, seq);
    if (before?.phase === 'waiting' && before.body === body) return false;
    this.#entries.set(path, { name, body, seq, at: this.#now() });
    return true;
  }

  /** GitHub did not take it. */
  forget(path: string): void {
    this.#entries.delete(path);
  }

  /** What waits there, as long as the ledger has not moved. */
  of(path: string, seq: number): Posting | undefined {
    const entry = this.#entries.get(path);
    if (entry === undefined || entry.seq !== seq) return undefined;
    const age = this.#now() - entry.at;
    if (age > forgottenMs) return undefined;
    return { name: entry.name, body: entry.body, phase: age > waitingMs ? 'late' : 'waiting' };
  }
}

/** The command that Coxswain would read in a comment, even if it were misspoken. */
export function commandNameIn(body: string): CommandName | undefined {
  const command = parseCommand(body);
  return command?.type === 'misspoken' ? command.name : command?.type;
}
