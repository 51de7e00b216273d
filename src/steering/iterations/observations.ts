import type { BlockedHost, GateHit } from '../shapes/attempt-result.ts';
import { type Account, isSame } from '../shapes/people.ts';
import type { EventOf } from '../state/event.ts';
import type { State } from '../state/state.ts';
import { withContributors } from './authorship.ts';

/** How many blocked hosts are kept; a program may want any number. */
const maxBlocked = 20;

const maxNotices = 10;

type Observing = EventOf<'work_finished' | 'work_held' | 'work_failed' | 'work_parked' | 'verified'>;

/**
 * The state with what the programs of this event met. Programs that have run again say anew what was blocked:
 * what they reach by now is no longer shown.
 */
export function observed<S extends State>(state: S, event: Observing): S {
  const { blocked: earlier = [], notices: said = [], ...rest } = state;
  const blocked = distinct([
    ...earlier.filter((each) => !hasRunAgain(state, each)),
    ...(event.blocked ?? []),
  ]);
  const notices = [...new Set([...said, ...(event.notices ?? [])])];
  return {
    ...rest,
    ...(blocked.length > 0 && { blocked: blocked.slice(0, maxBlocked) }),
    ...(notices.length > 0 && { notices: notices.slice(0, maxNotices) }),
    ...withContributors(state, heardBy(state, event)),
  } as unknown as S; // the same but for these, which every state may have
}

/** Whose words the agent was given; for whoever asked for the run there is a rule of its own. */
function heardBy({ requested_by }: State, { heard = [] }: Observing): readonly Account[] {
  return heard.filter((each) => !isSame(each, requested_by));
}

/** What an agent did unasked stays a reason to look for the whole run: what it did is done. */
export function withRan<S extends State>(state: S, ran: readonly GateHit[] = []): S {
  if (ran.length === 0) return state;
  const all = [...(state.ran ?? []), ...ran];
  const names = all.map(({ rule, evidence }) => `${rule} ${evidence}`);
  const distinct = all.filter((_, index) => names.indexOf(names[index] ?? '') === index);
  return { ...state, ran: someOfEach(distinct, maxRan) };
}

const maxRan = 100;

/** At most so many hits, in their order: however many one rule has, they take no other rule's place. */
export function someOfEach(hits: readonly GateHit[], max: number): readonly GateHit[] {
  const counts = new Map<string, number>();
  const numbered = hits.map((hit) => {
    const of = `${hit.severity} ${hit.rule}`;
    const nth = (counts.get(of) ?? 0) + 1;
    counts.set(of, nth);
    return { hit, nth };
  });
  const kept = numbered.toSorted((one, other) => one.nth - other.nth).slice(0, max);
  return hits.filter((hit) => kept.some((each) => each.hit === hit));
}

/**
 * Setup runs before the agent and again before the verifiers, which do not run while work is put on a
 * branch.
 */
function hasRunAgain({ standing }: State, { use }: BlockedHost): boolean {
  if (standing.phase === 'verifying') return use === 'verifiers';
  return standing.phase === 'working' && standing.held === undefined && use !== 'verifiers';
}

function distinct(hosts: readonly BlockedHost[]): readonly BlockedHost[] {
  const nameOf = ({ host, use, command }: BlockedHost) => JSON.stringify([host, use, command]);
  const names = hosts.map(nameOf);
  return hosts.filter((each, index) => names.indexOf(nameOf(each)) === index);
}
