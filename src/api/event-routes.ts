import type { IncomingMessage, ServerResponse } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { createRoute, z } from '@hono/zod-openapi';
import type { Identity } from '../doors/callers/identity.ts';
import type { Runs } from '../doors/callers/read-run.ts';
import { later, Problem } from '../doors/problem.ts';
import { requestReport, runSummary } from '../doors/report/run-report.ts';
import type { Log } from '../github/octokit/connect.ts';
import { type EventStream, EventStreams, type StreamEvent } from '../http/event-stream.ts';
import { messageOf } from '../repository/faults.ts';
import type { ProgressBoard } from '../repository/progress-board.ts';
import { webOf } from '../repository/repository.ts';
import type { LiveRuns } from '../runs/run/live-runs.ts';
import type { Run } from '../runs/run/run.ts';
import type { State } from '../steering/state/state.ts';
import { eventShape, notificationShape, type OwnEvent } from './event-schema.ts';
import { type Api, problems, runParams, runPath, type SignedIn, security } from './route-parts.ts';
import { type RunEvents, Sources } from './run-events.ts';

/**
 * Bounds of what listeners can take of the process, in all and for each person; how soon it is seen what
 * other processes record, and how often it is asked whether somebody may still read.
 */
const usual = {
  ...{ maxListeners: 200, maxPerPerson: 10, everyMs: 250, heartbeatMs: 15_000 },
  ...{ lookEveryMs: 3_000, askEveryMs: 60_000 },
};

interface FeedOptions {
  readonly liveRuns: LiveRuns;
  /** What the agents of this process are doing. */
  readonly progress?: ProgressBoard | undefined;
  readonly log: Pick<Log, 'warn'>;
  readonly limits?: Partial<typeof usual>;
}

interface Listening {
  readonly run: Run;
  /** Who listens, by a name that stays the same: each may have only so many streams. */
  readonly person: string;
  /** Asked again every minute; throws if it cannot be learned. */
  mayRead(): Promise<boolean>;
  /** They hear everything after the entry with this number; undefined if only what comes from now on. */
  readonly since: number | undefined;
}

/** What happens to runs, as server-sent events. */
export class EventsFeed {
  readonly #options: FeedOptions;
  readonly #limits: typeof usual;
  readonly #streams: EventStreams;
  readonly #sources: Sources;
  readonly #listeners = new Map<EventStream, Listening>();
  readonly #telling = new Set<Promise<void>>();

  constructor(options: FeedOptions) {
    this.#options = options;
    this.#limits = { ...usual, ...options.limits };
    this.#streams = new EventStreams(this.#limits);
    this.#sources = new Sources({ ...options, lookEveryMs: this.#limits.lookEveryMs });
  }

  /**
   * Tells the other end what happens to a run, until one of both goes. Throws `Problem`, and has answered
   * nothing then. The header `Last-Event-ID` of one that comes back counts more than `since`.
   */
  open(request: IncomingMessage, response: ServerResponse, listening: Listening): void {
    const last = request.headers['last-event-id'];
    if (last !== undefined && !/^\d{1,15}$/.test(String(last)))
      throw new Problem(400, 'Last-Event-ID is not the id of an event of this stream.');
    this.#requireRoom(listening);
    if (response.destroyed) return;
    const stream = this.#streams.open(response, { 'x-content-type-options': 'nosniff' });
    this.#listeners.set(stream, listening);
    const { run } = listening;
    const since = last === undefined ? listening.since : Number(last);
    const telling = this.#tell(stream, { ...listening, since })
      .catch((fault: unknown) => {
        this.#options.log.warn(`could not tell what happens to ${run.name}: ${messageOf(fault)}`);
        stream.end(closed(run, 'unreadable'));
      })
      .finally(() => this.#telling.delete(telling));
    this.#telling.add(telling);
  }

  /** Ends every stream at once; resolves when nothing is read any more. */
  async close(): Promise<void> {
    for (const [stream, { run }] of this.#listeners) stream.end(closed(run, 'stopping'));
    this.#streams.close();
    await this.#sources.close();
    await Promise.all(this.#telling);
  }

  #requireRoom({ person }: Listening): void {
    const own = [...this.#listeners.values()].filter((other) => other.person === person).length;
    if (own >= this.#limits.maxPerPerson)
      throw new Problem(429, `You already listen to ${own} streams: close one first.`, later(60));
    if (!this.#streams.hasRoom)
      throw new Problem(503, 'Too many people are listening: try again later.', later(30));
  }

  async #tell(stream: EventStream, { run, since, mayRead }: Listening): Promise<void> {
    const source = this.#sources.join(run);
    const asking = setInterval(() => void endUnlessAllowed(stream, run, mayRead), this.#limits.askEveryMs);
    stream.onEnd(() => {
      clearInterval(asking);
      this.#sources.leave(run);
      source.wake();
      this.#listeners.delete(stream);
    });
    await source.opened;
    if (since === undefined && source.state !== undefined) stream.send(present(source.state, run));
    this.#tellProgress(stream, run.name);
    await follow(stream, source, since ?? source.seq);
  }

  #tellProgress(stream: EventStream, run: string): void {
    const { progress: board } = this.#options;
    const tell = () =>
      stream.sendNewest(() => own({ event: 'progress', run, progress: board?.of(run) ?? null }));
    const unwatch = board?.watch(run, tell);
    stream.onEnd(() => unwatch?.());
    if (board?.of(run) !== undefined) tell();
  }
}

/** Tells everything after the entry with this number, as fast as it is read at the other end. */
async function follow(stream: EventStream, source: RunEvents, since: number): Promise<void> {
  // Another process may have told a newer one; a number that does not exist is one of a lost ledger.
  if (since > source.seq) await source.readOn();
  let told = since > source.seq ? 0 : since;
  let { era } = source;
  while (!stream.hasEnded) {
    const { change } = source;
    if (era !== source.era) told = 0;
    ({ era } = source);
    const entries = await source.after(told);
    for (const { seq, events } of entries) {
      if (!(await stream.hasRoom())) return;
      if (era !== source.era) break;
      for (const event of events) stream.send(event);
      told = seq;
    }
    if (entries.length === 0) await change;
  }
}

/** Not to know whether somebody may read is no permission: whoever comes back is asked for it anew. */
async function endUnlessAllowed(stream: EventStream, run: Run, mayRead: Listening['mayRead']) {
  const allowed = await mayRead().catch(() => undefined); // the listener is told
  if (allowed !== true) stream.end(closed(run, allowed === false ? 'rights_withdrawn' : 'rights_unknown'));
}

const reasons = {
  rights_withdrawn: 'You may not read this run any more.',
  rights_unknown: 'GitHub could not be asked whether you may still read this run; connect again later.',
  unreadable: 'What happens to this run cannot be read now; connect again later.',
  stopping: 'The server stops; connect again later.',
} as const;

function closed({ name }: Run, why: keyof typeof reasons): StreamEvent {
  return own({ event: 'closed', run: name, time: new Date().toISOString(), why, detail: reasons[why] });
}

/** Where the run stands; its id says from where on to be told when the listener comes back. */
function present(state: State, { repository }: Run): StreamEvent {
  const { seq } = state;
  const summary = runSummary(state, { web: webOf(repository), trust: 'verified' });
  const data = { ...summary, seq, approval_request: requestReport(state) };
  return { id: String(seq), ...own({ event: 'state', ...data }) };
}

function own(data: OwnEvent): StreamEvent {
  return { event: data.event, data };
}

const since = z
  .string()
  .regex(/^\d{1,15}$/, 'expected the number of an entry in the ledger')
  .optional()
  .openapi({
    type: 'integer',
    description: 'Everything after this entry of the ledger; what happens from now on if it is absent',
    example: 12,
  });

const query = z.strictObject({ since });

const headers = z.object({
  'last-event-id': z
    .string()
    .optional()
    .openapi({ description: 'The id of the last event that was heard, which counts more than `since`' }),
});

/** The route that tells what happens to a run while it happens. */
export function addListening(
  api: Api,
  signedIn: SignedIn,
  { identity, runs, feed }: { readonly identity: Identity; readonly runs: Runs; readonly feed: EventsFeed },
): void {
  const summary = 'What happens to a run, as server-sent events';
  const route = createRoute({
    ...{
      method: 'get',
      path: `${runPath}/events`,
      operationId: 'getEvents',
      tags: ['Runs'],
      summary,
      security,
    },
    middleware: [signedIn],
    request: { params: runParams, query, headers },
    responses: {
      200: {
        description:
          'Events whose data is one of these, as JSON; their ids are numbers of entries in the ledger',
        content: { 'text/event-stream': { schema: eventShape } },
      },
      ...problems(),
    },
  });
  api.openapi(route, async (c) => {
    const caller = c.get('caller');
    const { run, readable } = await runs.read(caller, runParams.parse(c.req.param()));
    const asked = query.parse(c.req.query()).since;
    feed.open(c.env.incoming, c.env.outgoing, {
      ...{ run, person: String(caller.id), since: asked === undefined ? undefined : Number(asked) },
      mayRead: () => identity.mayStillRead(caller, readable),
    });
    return RESPONSE_ALREADY_SENT;
  });
}

const text = z.string();

const webhookHeaders = z.object({
  'webhook-id': text.openapi({
    description: 'The same for every try: whoever has taken a message once can leave it the next time',
    example: 'msg_3yZQ0lB1nMZq5qVd0wJm7tX2a9b',
  }),
  'webhook-timestamp': text.openapi({
    description: 'When this try was made, in seconds since 1970; an old one is not ours, but was recorded',
    example: '1769860800',
  }),
  'webhook-signature': text.openapi({
    description:
      'By the secret of the target: `v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<body>` in Base64',
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  }),
});

/** Describes what the operator's webhooks are sent, which no program asks us for. */
export function describeWebhook({ openAPIRegistry }: Api): void {
  openAPIRegistry.registerWebhook({
    ...{ method: 'post', path: 'notification', operationId: 'notification', tags: ['Runs'] },
    summary: 'What happens to a run, by the Standard Webhooks specification',
    description:
      'Sent to targets of the operator with `to: webhook` that the configuration of a repository names. What ' +
      'is not taken is sent again after 1, 2 and 4 seconds, and then for a day. Long texts are cut.',
    request: {
      headers: webhookHeaders,
      body: { required: true, content: { 'application/json': { schema: notificationShape } } },
    },
    responses: {
      '2XX': { description: 'The message is taken' },
      410: { description: 'It is not sent again, as the receiver is gone' },
      default: { description: 'The message is not taken; a redirect is not followed' },
    },
  });
}
