import type { Event } from '../steering/event.ts';
import type { State } from '../steering/state.ts';
import { LedgerBroken, LedgerTooNew } from './errors.ts';
import { eventTrailer, trailersOf } from './message.ts';
import { isPhase, type RefNamespace } from './refs.ts';

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

/** The raw content of a ledger's newest commit; undefined where a file is missing. */
export interface RawHead {
  readonly commit: string;
  readonly namespace: RefNamespace;
  /** The commit object: headers, an empty line, the message. */
  readonly object: string;
  readonly state: string | undefined;
  readonly log: string | undefined;
}

/** Parses a ledger's newest commit; throws `LedgerBroken` if state, events and commit are inconsistent. */
export function parseHead(raw: RawHead, number: number): LedgerHead {
  const where = `ledger of #${number} at ${raw.commit}`;
  const state = parseState(raw.state, where);
  if (state.run.number !== number)
    throw new LedgerBroken(`${where}: its state belongs to #${state.run.number}`);
  const log = raw.log ?? '';
  const ids = parseEvents(log, where).map(({ id }) => id);
  const trailers = trailersOf(raw.object);
  const last = ids.at(-1);
  if (last === undefined) throw new LedgerBroken(`${where}: it has no events`);
  if (trailers.event !== eventTrailer(last)) {
    throw new LedgerBroken(`${where}: the commit is for event ${trailers.event}, its last event is ${last}`);
  }
  if (trailers.seq !== state.seq) {
    throw new LedgerBroken(
      `${where}: the commit is number ${trailers.seq}, its state is number ${state.seq}`,
    );
  }
  const seen = new Set(ids);
  if (seen.size !== ids.length) throw new LedgerBroken(`${where}: it contains an event twice`);
  return { commit: raw.commit, namespace: raw.namespace, state, log, seen };
}

const version: State['version'] = 1;

/** Throws `LedgerTooNew` if a newer Coxswain wrote it. Version 1 is the first, so nothing needs migrating. */
export function parseState(text: string | undefined, where: string): State {
  const value = parseObject(text, `${where}: state.json`);
  const { seq, run, standing } = value;
  if (typeof value['version'] === 'number' && value['version'] > version) {
    const found = `its state has version ${value['version']}`;
    throw new LedgerTooNew(
      `${where}: ${found}, but this Coxswain supports version ${version}: upgrade it to continue this run`,
    );
  }
  const sound =
    value['version'] === version &&
    Number.isInteger(seq) &&
    isObject(run) &&
    Number.isInteger(run['number']) &&
    isObject(standing) &&
    isPhase(standing['phase']);
  if (!sound) throw new LedgerBroken(`${where}: state.json is not a valid state`);
  // The rest was written by us: the trailers of the commit match it.
  return value as unknown as State;
}

/** Parses `events.jsonl`; throws `LedgerBroken` at the first line that is not an event. */
export function parseEvents(log: string, where: string): readonly Event[] {
  const lines = log.split('\n');
  if (lines.pop() !== '') throw new LedgerBroken(`${where}: events.jsonl ends in the middle of a line`);
  return lines.map((line, index) => {
    const value = parseObject(line, `${where}: event ${index + 1}`);
    if (typeof value['id'] !== 'string' || typeof value['type'] !== 'string') {
      throw new LedgerBroken(`${where}: event ${index + 1} has no id or no type`);
    }
    // The rest was written by us, from a value of this type.
    return value as unknown as Event;
  });
}

/** An event's line in `events.jsonl`. */
export function logLine(event: Event): string {
  return `${JSON.stringify(event)}\n`;
}

function parseObject(text: string | undefined, what: string): Record<string, unknown> {
  if (text === undefined) throw new LedgerBroken(`${what} is missing`);
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch (cause) {
    throw new LedgerBroken(`${what} is not JSON`, { cause });
  }
  throw new LedgerBroken(`${what} is not an object`);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
