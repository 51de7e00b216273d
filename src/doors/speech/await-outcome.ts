import { setTimeout } from 'node:timers/promises';
import type { LedgerStep } from '../../ledger/ledger-steps.ts';
import { answeringTeams, approvalRules, teamsIn } from '../../steering/approval/approval-needs.ts';
import type { Command } from '../../steering/commands/index.ts';
import { decide } from '../../steering/decide.ts';
import type { Person, Role } from '../../steering/shapes/people.ts';
import { later } from '../../steering/shapes/time.ts';
import type { Event } from '../../steering/state/event.ts';
import type { Refusal, ReplyContent } from '../../steering/state/pending-effect.ts';
import type { State } from '../../steering/state/state.ts';
import { replyText } from '../../words/reply.ts';

/** What came of a command. */
export interface Outcome {
  readonly accepted: boolean;
  readonly refusal?: Refusal;
  /** What the person is told, as Markdown; absent if nothing, or if that needs more than the state. */
  readonly reply?: string;
  /** Where it stands among the steers that wait. */
  readonly place?: number;
}

/** What came of the command in an entry of a ledger; `web` is the repository's address. */
export async function outcomeOf(
  { before, event }: Pick<LedgerStep, 'before' | 'event'>,
  web: string,
): Promise<Outcome> {
  const { accepted, state, words } = decided(before, event);
  if (state === undefined || words === undefined) return { accepted };
  const isTold = words.say !== 'status' && words.say !== 'diff' && words.say !== 'logs';
  return {
    accepted,
    ...(words.say === 'refused' && { refusal: words.refusal }),
    ...(isTold && { reply: await replyText(words, state, { web, ...nothingElse }) }),
    ...(words.say === 'queued' && { place: words.place }),
  };
}

/** The replies that are told here need nothing of this. */
const nothingElse = {
  diff: async () => undefined,
  outputs: async () => undefined,
  progress: () => ({ progress: undefined, now: new Date() }),
};

function decided(before: State | undefined, event: Event) {
  const verdict = decide(before, event);
  if (verdict.outcome === 'nothing') return { accepted: false };
  const { state, refuses } = verdict;
  const reply = state.owed.find(({ id }) => id === `${event.id}:reply`);
  const words: ReplyContent | undefined = reply?.do === 'reply' ? reply.words : undefined;
  return { accepted: refuses !== true, state, words };
}

/** Somebody who would say a command; the role is null if it is not known. */
type Speaker = Omit<Person, 'role'> & { readonly role: Role | null };

/**
 * Why a command would be refused if this person said it at this time, as far as that is known before it is
 * said. What is not known is taken to be in its favour: the role, teams, and what others are asked about it.
 */
export function foreseen(
  state: State,
  command: Command,
  { by, at: now }: { readonly by: Speaker; readonly at: string },
): Refusal | undefined {
  // Our clock may be behind GitHub's, by which the run has its times.
  const at = later(state.updated_at, now);
  const teams = by.teams ?? [...teamsIn(approvalRules(state)), ...answeringTeams(state)];
  const person = { ...by, role: by.role ?? 'admin', teams };
  const source = { from: 'comment', comment_id: 0, text_sha256: '', written_at: at } as const;
  const { words } = decided(state, { type: 'said', id: 'foreseen', at, command, by: person, source });
  return words?.say === 'refused' ? words.refusal : undefined;
}

interface Awaiting {
  /** Reads the entries after that number, oldest first. */
  stepsSince(seq: number): Promise<readonly LedgerStep[]>;
  /** The entries up to this one are older than what is awaited. */
  readonly seq: number;
  readonly waitMs: number;
  readonly signal?: AbortSignal | undefined;
}

const pollMs = 250;
const longestPollMs = 2_000;

/** The entry of an event as soon as it is in the ledger; undefined if it is not there in that time. */
export async function awaitEvent(id: string, awaiting: Awaiting): Promise<LedgerStep | undefined> {
  const { stepsSince, waitMs, signal } = awaiting;
  const over = performance.now() + waitMs;
  for (let { seq } = awaiting, wait = pollMs; ; wait = Math.min(2 * wait, longestPollMs)) {
    signal?.throwIfAborted();
    const steps = await stepsSince(seq);
    const found = steps.find(({ event }) => event.id === id);
    const left = over - performance.now();
    if (found !== undefined || left <= 0) return found;
    seq = steps.at(-1)?.seq ?? seq;
    await setTimeout(Math.min(wait, left), undefined, signal && { signal });
  }
}
