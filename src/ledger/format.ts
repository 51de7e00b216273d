import { createHash } from 'node:crypto';
import { type CommitParts, commitFrom } from '../git/objects.ts';
import type { Sealed, Seals } from '../seal/seals.ts';
import { isOver, isPhase } from '../steering/phases/table.ts';
import type { Phase } from '../steering/shapes/standing.ts';
import type { Event } from '../steering/state/event.ts';
import type { State } from '../steering/state/state.ts';
import { shortened } from '../text/characters.ts';
import {
  LedgerBroken,
  LedgerKeyLost,
  LedgerKeyUnknown,
  LedgerOfApp,
  LedgerTooNew,
  LedgerUnsealed,
} from './errors.ts';

/** Ledgers of open runs, which the sweep reads, and of ended runs. */
export type RefNamespace = 'open' | 'closed';

/** Runs that have ended are closed; all others are open. */
export function namespaceOf(phase: Phase): RefNamespace {
  return isOver(phase) ? 'closed' : 'open';
}

export function ledgerRef(namespace: RefNamespace, number: number): string {
  return `refs/coxswain/${namespace}/${number}`;
}

/** Keeps an invalid ledger, named after the object it pointed to. */
export function brokenRef(number: number, sha: string): string {
  return `refs/coxswain/broken/${number}-${sha}`;
}

/** Keeps a commit that is not on the branch; outside of branches, a push starts no workflow. */
export function keptRef(number: number, sha: string): string {
  return `refs/coxswain/kept/${number}/${sha}`;
}

/** Where a commit is for as long as GitHub signs it: what it does not have, it cannot sign. */
export function unsignedRef(sha: string): string {
  return `${unsignedRefs}/${sha}`;
}

/** All of these are below it. */
export const unsignedRefs = 'refs/coxswain/unsigned';

/** How the runs of a repository ended. */
export const outcomesRef = 'refs/coxswain/outcomes';

/** Keeps outcomes that are not all ours, named after their commit. */
export function brokenOutcomesRef(sha: string): string {
  return `refs/coxswain/broken/outcomes-${sha}`;
}

/** Which ledger it is, and how to tell who wrote it. */
export interface LedgerIdentity {
  readonly repositoryId: number;
  /** It is that of the pull request. */
  readonly number: number;
  /** Only the presenter of a run writes its ledger. */
  readonly presenter: 'app' | 'action';
  /** The App has them. The Action has none: every workflow of a repository can read its secrets. */
  readonly seals?: Seals | undefined;
  /** Also accepts a ledger without a seal: only for sealing it. */
  readonly unsealed?: 'accepted';
  /** For people, who have no key: what is read is not believed for what is in it. */
  readonly seal?: 'not_checked';
}

/** The newest commit of a ledger with its content. */
export interface LedgerHead {
  readonly commit: string;
  readonly namespace: RefNamespace;
  readonly state: State;
  /** This is `events.jsonl`, which has one event per line, oldest first. */
  readonly log: string;
  /** It has the ids of all events. */
  readonly seen: ReadonlySet<string>;
  /** The id of the key it is sealed with; null if it is not sealed. */
  readonly key: string | null;
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

/**
 * Parses a ledger's newest commit, and decides whether that is to be believed by itself: throws
 * `LedgerBroken` if it is inconsistent or its seal is wrong, `LedgerKeyUnknown` and `LedgerOfApp`. Whether it
 * was put back, the ledger on the remote says.
 */
export function parseHead(raw: RawHead, identity: LedgerIdentity): LedgerHead {
  const where = `ledger of #${identity.number} at ${raw.commit}`;
  const commit = commitFrom(raw.object);
  if (commit === undefined) throw new LedgerBroken(`${where}: it is not a commit of a ledger`);
  const trailers = trailersOf(commit.message);
  const key = keyOf(raw, commit, trailers, where, identity);
  const state = parseState(raw.state, where);
  if (state.run.number !== identity.number)
    throw new LedgerBroken(`${where}: its state belongs to #${state.run.number}`);
  if (identity.presenter === 'action' && state.run.presenter === 'app')
    throw new LedgerOfApp(`${where}: the App presents this run`);
  const log = raw.log ?? '';
  const ids = parseEvents(log, where).map(({ id }) => id);
  checkTrailers(trailers, ids, state, where);
  const seen = new Set(ids);
  if (seen.size !== ids.length) throw new LedgerBroken(`${where}: it contains an event twice`);
  return { commit: raw.commit, namespace: raw.namespace, state, log, seen, key };
}

/** The key of a sound seal; null where ledgers need none. */
function keyOf(
  raw: RawHead,
  commit: CommitParts,
  trailers: Trailers,
  where: string,
  { seals, repositoryId, number, unsealed, seal: checked }: LedgerIdentity,
): string | null {
  const { seal, event = '', seq = 0, above } = trailers;
  if (checked === 'not_checked') return null;
  if (seals === undefined) {
    if (seal === undefined) return null;
    throw new LedgerOfApp(`${where}: it is sealed, so the App presents this run`);
  }
  const { state = '', log = '', namespace } = raw;
  const sealed = { ...commit, repositoryId, number, namespace, seq, event, state, log, above };
  const check = seals.check(sealedCommit(sealed), seal);
  switch (check.seal) {
    case 'sound':
      return check.key;
    case 'unknown':
    case 'retired':
      throw new LedgerKeyUnknown(where, { key: check.key, seq, retired: check.seal === 'retired' });
    case 'lost':
      throw new LedgerKeyLost(where, check.key);
    case 'forged':
      throw new LedgerBroken(`${where}: its seal is wrong, so it is not ours`);
    case 'missing':
      if (unsealed === 'accepted') return null;
      throw new LedgerUnsealed(`${where}: it is not sealed`);
  }
}

function checkTrailers({ event, seq }: Trailers, ids: readonly string[], state: State, where: string): void {
  const last = ids.at(-1);
  if (last === undefined) throw new LedgerBroken(`${where}: it has no events`);
  if (event !== eventTrailer(last))
    throw new LedgerBroken(`${where}: the commit is for event ${event}, its last event is ${last}`);
  if (seq !== state.seq)
    throw new LedgerBroken(`${where}: the commit is number ${seq}, its state is number ${state.seq}`);
}

/** A ledger commit's message: a sentence for people, and trailers that identify its event. */
export interface MessageParts {
  readonly subject: string;
  /** A paragraph about what was left out. */
  readonly note?: string;
  /** Set if the run has ended and all its effects are done, so that a sweep need not read it. */
  readonly settled?: true;
  readonly event: string;
  readonly seq: number;
}

/** The message up to the seal. */
export function textAbove({ subject, note, settled }: Omit<MessageParts, 'event' | 'seq'>): string {
  const paragraphs = [oneLine(subject, 250), ...(note ? [oneLine(note, 500)] : [])];
  return `${paragraphs.join('\n\n')}\n\n${settled ? `${settledTrailer}\n` : ''}`;
}

const settledTrailer = 'Coxswain-Owes: nothing';

/** The complete commit message; `seal` proves that the App wrote it. */
export function messageOf(parts: MessageParts, seal?: string): string {
  const sealed = seal === undefined ? '' : `Coxswain-Seal: ${seal}\n`;
  return `${textAbove(parts)}${sealed}Coxswain-Event: ${eventTrailer(parts.event)}\nCoxswain-Seq: ${parts.seq}\n`;
}

/** An event's id as written in the trailer; versions before 0.2 wrote ids so long that they were cut. */
function eventTrailer(id: string): string {
  return oneLine(id, 1_000);
}

/** What a ledger commit's message says. */
type Trailers = ReturnType<typeof trailersOf>;

/** Reads the last trailers of a message, so that a subject cannot pretend to be one. */
export function trailersOf(message: string) {
  const last = /(?<=^|\n)Coxswain-Event: (.*)\nCoxswain-Seq: (\d+)\n*$/.exec(message);
  const rest = last === null ? message : message.slice(0, last.index);
  const sealed = /(?<=^|\n)Coxswain-Seal: (.*)\n$/.exec(rest);
  const seq = last?.[2];
  const above = sealed === null ? rest : rest.slice(0, sealed.index);
  return {
    above,
    /** Whether it says that nothing is left to do for the run. */
    settled: above.endsWith(`\n\n${settledTrailer}\n`),
    seal: sealed?.[1],
    event: last?.[1],
    seq: seq === undefined ? undefined : Number(seq),
  };
}

/** Text from people and agents must not add trailers of its own with line breaks. */
function oneLine(text: string, max: number): string {
  return shortened(text.replace(/[\s\p{Cc}]+/gu, ' ').trim(), max);
}

/** Everything about a ledger commit that its seal proves. */
export interface SealedCommit {
  readonly repositoryId: number;
  readonly number: number;
  readonly namespace: RefNamespace;
  readonly seq: number;
  readonly event: string;
  readonly parent: string | null;
  readonly tree: string;
  /** `state.json` */
  readonly state: string;
  /** `events.jsonl` */
  readonly log: string;
  /** The message above the seal. */
  readonly above: string;
}

/**
 * The tree covers all files. Git names it by SHA-1, which can be made to collide, so the two files that
 * decide anything are covered by SHA-256 as well.
 */
export function sealedCommit(commit: SealedCommit): Sealed {
  const { repositoryId, number, namespace, seq, event, parent, tree, state, log, above } = commit;
  const numbers = [repositoryId, number, namespace, seq].map(String);
  const parts = [...numbers, event, parent ?? '', tree, sha256(state), sha256(log), above];
  return { label: 'ledger', parts, ended: namespace === 'closed' };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

const version: State['version'] = 3;

/** Throws `LedgerTooNew` if a newer Coxswain wrote it; an older state is brought up to date. */
export function parseState(text: string | undefined, where: string): State {
  const value = migrated(parseObject(text, `${where}: state.json`));
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
  // The rest was written by us: the seal says so, or, in the Action, nobody else has a reason to be believed.
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

/**
 * Brings a state of an older version up to date; any other value is returned as it is. Version 1 recorded
 * people by their login only: an id of 0 says that it is not known. It kept only those who had pushed. Its
 * only check was `Coxswain`, and of the settings that it did not have, the defaults hold until the
 * configuration is read again. Version 3 added questions of agents, and work that goes on after a stop:
 * nothing in a state of version 2 means anything else in it, but older versions would lose these.
 */
export function migrated(state: Record<string, unknown>): Record<string, unknown> {
  if (state['version'] === 2) return { ...withNetwork(state), version };
  if (state['version'] !== 1) return state;
  const { settings, pushers, ...rest } = withPeopleIds(state);
  const known = isObject(settings) ? { settings: withNewSettings(settings) } : {};
  return { ...rest, ...known, ...contributorsFrom(pushers), version };
}

function contributorsFrom(pushers: unknown): Record<string, unknown> {
  const logins = Array.isArray(pushers) ? pushers.filter((login) => typeof login === 'string') : [];
  return logins.length === 0 ? {} : { contributors: logins.map((login) => ({ login, id: 0 })) };
}

function withNewSettings(settings: Record<string, unknown>): Record<string, unknown> {
  const approval = isObject(settings['approval']) ? settings['approval'] : {};
  return { check: 'Coxswain', ci: 'at_once', network, ...settings, approval: { apps: [], ...approval } };
}

/** The first states of version 2 had no network. */
function withNetwork(state: Record<string, unknown>): Record<string, unknown> {
  const { settings } = state;
  if (!isObject(settings) || 'network' in settings) return state;
  return { ...state, settings: { network, ...settings } };
}

const network = { setup: ['registries'], agent: ['model'], verifiers: [] };

/** A person is an object with a login and a role, wherever it is. */
function withPeopleIds<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withPeopleIds) as T; // the same type, element by element
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, each]) => [name, withPeopleIds(each)] as const);
  const isPerson = 'login' in value && 'role' in value && !('id' in value);
  return Object.fromEntries(isPerson ? [...entries, ['id', 0]] : entries) as T; // as above
}
