import { failedRequired } from './confidence/evaluation.ts';
import { type Asked, openInteraction } from './iterations/interactions.ts';
import { stageOf } from './iterations/iteration.ts';
import { type InterruptPayload, interruptPayload } from './iterations/requests-for-programs.ts';
import { actorOf } from './iterations/step.ts';
import { askingRow, isEnd, isOver } from './phases/table.ts';
import {
  type Interaction,
  type InteractionKind,
  isAskingHuman,
  type ReminderPercent,
  type SettledInteraction,
  steersOnTheirWay,
} from './shapes/standing.ts';
import type { Event } from './state/event.ts';
import type { AttemptRecord, State } from './state/state.ts';

type AttemptEnd = AttemptRecord['outcome'] | 'stopped';

/** Something about a run that others may want to hear of; never the text of a steer. */
export type Announcement = Readonly<
  Heard &
    (
      | { event: 'run_started' }
      | { event: 'attempt_started'; iteration: number; attempt: number }
      | {
          event: 'attempt_finished';
          iteration: number;
          attempt: number;
          /** `stopped`: by people, or with its process. */
          outcome: AttemptEnd;
        }
      | {
          event: RaisedAs;
          interaction: string;
          request: ApprovalRequest;
          /** Present if an interrupt was raised. */
          interrupt?: InterruptPayload;
        }
      | { event: 'approval_received' | 'approval_revoked' | 'approval_timed_out'; head_sha: string }
      | { event: 'approval_rejected' }
      | {
          event: SettledAs;
          interaction: string;
          /** Such as `retried` or `allowed once`. */
          how: string;
        }
      | {
          event: 'reminder';
          interaction: string;
          /** How much of the time to answer has passed. */
          percent: ReminderPercent;
          request: ApprovalRequest;
        }
      /** How many characters the steer has. */
      | { event: 'steer_instruction'; length: number }
      | { event: 'run_finished'; phase: 'done' | 'rejected' | 'cancelled' | 'abandoned'; merged: boolean }
    )
>;

/** What it is called that people are asked something, and that it is settled. */
const names = {
  interrupt: ['interrupt_raised', 'interrupt_resolved'],
  question: ['question_asked', 'question_answered'],
  stage: ['stage_shown', 'stage_settled'],
} as const satisfies { readonly [K in InteractionKind]?: readonly [string, string] };

type Named = keyof typeof names;
type RaisedAs = (typeof names)[Named][0] | `${Exclude<InteractionKind, Named>}_requested`;
type SettledAs = (typeof names)[Named][1] | `${Exclude<InteractionKind, Named | 'approval'>}_settled`;

function isNamed(kind: InteractionKind): kind is Named {
  return Object.hasOwn(names, kind);
}

/** What every announcement says: when it happened, who did it, and on which run. */
interface Heard {
  /** GitHub's, ISO 8601. */
  readonly time: string;
  /** A login; null if it was no person. */
  readonly actor: string | null;
  /** `owner/repo#n` */
  readonly run: string;
}

type News = Announcement extends infer A ? (A extends Heard ? Omit<A, keyof Heard> : never) : never;

/** What an event that was recorded means to others, in the order in which it happened. Pure. */
export function announcements(
  before: State | undefined,
  after: State,
  event: Event,
): readonly Announcement[] {
  const heard = { time: event.at, actor: actorOf(event), run: after.run.id };
  const news = before === undefined ? startOf(event) : changesFrom(before, after, event);
  // The spread of a union member is that member again, but TypeScript loses the tag.
  return news.map((each) => ({ ...heard, ...each }) as Announcement);
}

function startOf({ type }: Event): readonly News[] {
  return type === 'run_started' ? [{ event: 'run_started' }] : [];
}

function changesFrom(before: State, after: State, event: Event): readonly News[] {
  return [
    ...steered(before, after, event),
    ...attemptEnded(before, after, event),
    ...settled(before, after),
    ...approved(before, after),
    ...asked(before, after),
    ...reminded(before, after),
    ...attemptBegun(before, after, event),
    ...ended(before, after),
  ];
}

function steered(before: State, after: State, event: Event): readonly News[] {
  if (event.type !== 'said' || event.command.type !== 'steer') return [];
  const { length } = [...event.command.prompt];
  return heardSteers(after) > heardSteers(before) ? [{ event: 'steer_instruction', length }] : [];
}

/** Every steer that waits, is on its way or has begun or joined an iteration. */
function heardSteers(state: State): number {
  const begun = state.iterations.reduce((sum, { steers }) => sum + steers.length, 0);
  return begun + state.queue.length + steersOnTheirWay(state).length;
}

function isInAttempt({ standing }: State): boolean {
  if (standing.phase === 'working') return standing.held === undefined;
  return standing.phase === 'verifying' && standing.work === 'verify_attempt';
}

function attemptBegun(before: State, after: State, { type }: Event): readonly News[] {
  const isNew =
    type === 'attempt_started' && before.standing.phase === 'queued' && after.standing.phase === 'working';
  if (!isNew || !isInAttempt(after)) return [];
  return [{ event: 'attempt_started', iteration: after.iteration, attempt: after.attempt }];
}

function attemptEnded(before: State, after: State, event: Event): readonly News[] {
  if (!isInAttempt(before) || (isInAttempt(after) && after.iteration === before.iteration)) return [];
  const { iteration, attempt } = before;
  return [{ event: 'attempt_finished', iteration, attempt, outcome: outcomeOf(event) }];
}

function outcomeOf(event: Event): AttemptEnd {
  if (event.type === 'verified') return failedRequired(event.verifiers).length === 0 ? 'green' : 'red';
  if (event.type === 'work_held') return 'green';
  if (event.type === 'work_parked') return 'stopped';
  return event.type === 'work_failed' || event.type === 'work_finished' ? 'failed' : 'stopped';
}

/** A run that is resumed after its deadline asks the same as before. */
function asked(before: State, after: State): readonly News[] {
  const open = openInteraction(after);
  const request = approvalRequestOf(after);
  if (open === null || request === null || openInteraction(before)?.id === open.id) return [];
  const interrupt = interruptPayload(after);
  const { kind, id: interaction } = open;
  const raised: RaisedAs = isNamed(kind) ? names[kind][0] : `${kind}_requested`;
  return [{ event: raised, interaction, request, ...(interrupt !== null && { interrupt }) }];
}

/** Of a wait that goes on, as nothing but its time changes with it. */
function reminded(before: State, after: State): readonly News[] {
  const [last, now] = [before, after].map(({ standing }) => (isAskingHuman(standing) ? standing : undefined));
  const request = approvalRequestOf(after);
  if (last === undefined || now?.reminded === undefined || request === null) return [];
  if (last.reminded?.at === now.reminded.at) return [];
  const { percent } = now.reminded;
  return [{ event: 'reminder', interaction: now.interaction.id, percent, request }];
}

function settled(before: State, after: State): readonly News[] {
  const fresh = after.interactions.slice(before.interactions.length);
  return fresh.flatMap(({ kind, id: interaction, how }: SettledInteraction): readonly News[] => {
    if (kind === 'approval') return [];
    return [{ event: isNamed(kind) ? names[kind][1] : `${kind}_settled`, interaction, how }];
  });
}

function approved(before: State, after: State): readonly News[] {
  const known = before.approvals.map(({ id }) => id);
  const fresh = after.approvals.filter(({ id }) => !known.includes(id));
  const received = fresh.map(({ head_sha }): News => ({ event: 'approval_received', head_sha }));
  const head_sha = before.head;
  const hadApproval = before.standing.phase === 'approved' || before.approvals.length > 0;
  const isKept = after.standing.phase === 'approved' || after.approvals.length > 0;
  const isRevoked =
    hadApproval && !isKept && !isOver(after.standing.phase) && after.standing.phase !== 'paused';
  const hasTimedOut = before.standing.phase !== 'timed_out' && after.standing.phase === 'timed_out';
  return [
    ...received,
    ...(isRevoked ? [{ event: 'approval_revoked', head_sha } as const] : []),
    ...(hasTimedOut ? [{ event: 'approval_timed_out', head_sha } as const] : []),
  ];
}

function ended({ standing: before }: State, { standing }: State): readonly News[] {
  if (!isEnd(before, standing)) return [];
  switch (standing.phase) {
    case 'done':
      return [{ event: 'run_finished', phase: 'done', merged: standing.merged }];
    case 'rejected':
      return [{ event: 'approval_rejected' }, { event: 'run_finished', phase: 'rejected', merged: false }];
    case 'cancelled':
    case 'abandoned':
      return [{ event: 'run_finished', phase: standing.phase, merged: false }];
    default:
      return [];
  }
}

/** What is put before people, in the same shape whatever it is about. */
export interface ApprovalRequest extends Asked {
  readonly task_id: string;
  /** The stage that the work is in. */
  readonly subtask_id: string;
  /** After how many seconds from `created_at` it goes on by itself; null if it does not. */
  readonly auto_approve_timeout: number | null;
  /** ISO 8601 */
  readonly created_at: string;
}

/** The open interaction of a run as a request; null while nobody is asked. */
export function approvalRequestOf(state: State): ApprovalRequest | null {
  const open = openInteraction(state);
  if (open === null) return null;
  return {
    task_id: state.task.id,
    subtask_id: stageOf(state).name,
    ...askingRow(open.kind).request(state),
    auto_approve_timeout: timeoutOf(state, open),
    created_at: open.opened_at,
  };
}

function timeoutOf({ standing }: State, { opened_at }: Interaction): number | null {
  const proceeds = standing.phase === 'awaiting_approval' ? standing.proceeds : undefined;
  if (proceeds?.on_timeout !== 'proceed') return null;
  return Math.max(0, Math.round((Date.parse(proceeds.at) - Date.parse(opened_at)) / 1000));
}
