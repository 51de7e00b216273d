import { z } from 'zod';
import {
  costShape,
  count,
  interruptShape,
  list,
  orNull,
  requestShape,
  runSummaryShape,
  time,
} from '../doors/report/report-shapes.ts';
import type { Announcement } from '../steering/announcements.ts';
import type { Progress } from '../steering/shapes/agent-progress.ts';
import { type AnnouncedEvent, announcedEvents } from '../steering/shapes/announced-events.ts';

/** What is said of an event, and the members of its data besides those that all have. */
interface Kind<Facts> {
  /** What the documentation says of it, in a sentence. */
  readonly says: string;
  readonly facts: Facts;
}

/** Leaves of an announcement what only this event has. */
type FactsOf<Name extends Announcement['event']> = Announcement extends infer One
  ? One extends { readonly event: unknown }
    ? Name extends One['event']
      ? Exclude<keyof One, 'event' | 'time' | 'actor' | 'run'>
      : never
    : never
  : never;

const text = z.string();
const commit = { head_sha: text };
const attempt = { iteration: count, attempt: count };
const raised = { interaction: text, request: requestShape, interrupt: interruptShape.optional() };
const settled = { interaction: text, how: text.meta({ example: 'allowed once' }) };

/** L-17: what happens to a run. */
const announced = {
  run_started: { says: 'The run has begun.', facts: {} },
  attempt_started: { says: 'An agent has begun to work.', facts: attempt },
  attempt_finished: {
    says: 'The agent and the verifiers have ended, or somebody has stopped them.',
    facts: { ...attempt, outcome: z.enum(['green', 'red', 'failed', 'stopped']) },
  },
  approval_requested: { says: 'A verified commit waits for approval.', facts: raised },
  approval_received: { says: 'Somebody has approved a commit.', facts: commit },
  approval_revoked: { says: 'The approvals of a commit do not count any more.', facts: commit },
  approval_rejected: { says: 'Somebody has rejected the work.', facts: {} },
  approval_timed_out: { says: 'Nobody has decided in time.', facts: commit },
  permission_requested: { says: 'Work or a call of the agent waits for permission.', facts: raised },
  permission_settled: { says: 'The permission is given or denied.', facts: settled },
  question_asked: { says: 'The agent asks a question.', facts: raised },
  question_answered: { says: 'A question is answered, or nobody needs the answer any more.', facts: settled },
  stage_shown: { says: 'A stage has ended, and people are asked before the next.', facts: raised },
  stage_settled: { says: 'It is decided what follows the stage.', facts: settled },
  interrupt_raised: { says: 'The run cannot go on without people.', facts: raised },
  interrupt_resolved: { says: 'It is decided how the run goes on.', facts: settled },
  steer_instruction: {
    says: 'Somebody has steered the run; the text is in its history.',
    facts: { length: count.meta({ description: 'Characters of the steer' }) },
  },
  reminder: {
    says: 'Nobody has answered yet, and a part of the time to do so has passed.',
    facts: {
      interaction: text,
      percent: z.literal([50, 90]).meta({ description: 'How much of it has passed' }),
      request: requestShape,
    },
  },
  run_finished: {
    says: 'The run has ended.',
    facts: { phase: z.enum(['done', 'rejected', 'cancelled', 'abandoned']), merged: z.boolean() },
  },
} as const satisfies {
  // Whoever announces something else is told by the compiler, and so is whoever only lists it.
  readonly [Name in AnnouncedEvent]: Kind<{ readonly [Fact in FactsOf<Name>]: z.ZodType }>;
};

const call = z.object({
  kind: text,
  title: text,
  command: text.optional(),
  outcome: z.enum(['ok', 'failed', 'denied', 'unknown']).optional(),
});

const progressFacts = {
  stage: z.enum(['setup', 'agent', 'verifiers']),
  since: time,
  cost: costShape,
  near: list(text).meta({ description: 'Limits that will soon be met' }),
  calls: z.object({ total: count, failed: count, denied: count }),
  last: list(call).meta({ description: 'The newest calls of the agent, oldest first' }),
  saying: text,
  verifiers: list(
    z.object({
      name: text,
      required: z.boolean(),
      since: time.optional(),
      again: z.literal(true).optional().meta({ description: 'It has failed, and runs once more' }),
      result: z.object({ success: z.boolean(), duration_s: z.number() }).optional(),
    }),
  ).optional(),
  trial: z.enum(['old_tests', 'without_change', 'baseline', 'review']).optional(),
} satisfies { readonly [Fact in keyof Progress]-?: z.ZodType };

/** What the stream says for itself. */
const own = {
  state: {
    says: 'Where the run stands: the first event, unless those since an earlier one were asked for.',
    facts: { seq: count, ...runSummaryShape.shape, approval_request: orNull(requestShape) },
  },
  progress: {
    says: 'What the agent does right now, at most four times a second; null when its work has ended.',
    facts: { run: text, progress: z.object(progressFacts).nullable() },
  },
  closed: {
    says: 'The stream ends, and why.',
    facts: {
      ...{ run: text, time },
      why: z.enum(['rights_withdrawn', 'rights_unknown', 'unreadable', 'stopping']),
      detail: text,
    },
  },
} as const satisfies Record<string, Kind<z.ZodRawShape>>;

const heard = {
  time: time.meta({ description: "When it happened, by GitHub's clock" }),
  actor: text.nullable().meta({ description: 'A login; null if it was no person' }),
  run: text.meta({ example: 'acme/widgets#7' }),
};

const seq = count.meta({ description: 'The number of its entry in the ledger' });

/** Every event of a stream: a sentence about it, and the schema of its data. */
export const eventKinds: Readonly<Record<string, { readonly says: string; readonly shape: z.ZodObject }>> = {
  ...kindsOf(announced, { ...heard, seq }),
  ...kindsOf(own, {}),
};

function kindsOf(kinds: Readonly<Record<string, Kind<z.ZodRawShape>>>, shared: z.ZodRawShape) {
  const all = Object.entries(kinds).map(([name, { says, facts }]) => {
    const shape = z.object({ event: z.literal(name), ...shared, ...facts }).meta({ description: says });
    return [name, { says, shape }] as const;
  });
  return Object.fromEntries(all);
}

/** The data of any event, told apart by `event`. */
export const eventShape = z
  .union(Object.values(eventKinds).map(({ shape }) => shape))
  .meta({ id: 'RunEvent' });

const announcedRequest = requestShape
  .omit({ id: true, kind: true, status: true })
  .meta({ id: 'AnnouncedRequest', description: 'An approval request, without what the event says itself' });

const worded = {
  title: text.meta({ example: 'acme/widgets#7: Steering iteration 2 complete' }),
  text: text.meta({ description: 'What there is to know before one decides, as plain text' }),
  url: text.meta({ description: 'Where people decide' }),
};

const notified = Object.values(kindsOf(announced, { ...heard, ...worded })).map(({ says, shape }) =>
  'request' in shape.shape ? shape.extend({ request: announcedRequest }).meta({ description: says }) : shape,
);

/** What a webhook of the operator's is sent. */
export const notificationShape = z
  .object({
    type: z.enum(announcedEvents).meta({ description: 'As `event` in `data`' }),
    timestamp: time.meta({ description: 'When it happened, and not when it was sent' }),
    data: z.union(notified),
  })
  .meta({ id: 'Notification' });

/** What the stream says for itself, as data. */
export type OwnEvent = {
  readonly [Name in keyof typeof own]: { readonly event: Name } & z.infer<
    z.ZodObject<(typeof own)[Name]['facts']>
  >;
}[keyof typeof own];
