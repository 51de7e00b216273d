import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { type Caller, personIn } from '../doors/callers/identity.ts';
import type { ReadRun, Runs } from '../doors/callers/read-run.ts';
import { later, Problem, type ProblemStatus } from '../doors/problem.ts';
import { runSummaryShape } from '../doors/report/report-shapes.ts';
import { awaitEvent, foreseen, type Outcome, outcomeOf } from '../doors/speech/await-outcome.ts';
import { composed } from '../doors/speech/compose-comment.ts';
import { hearing, recordedIn } from '../doors/speech/hearing.ts';
import { type Posted, post } from '../doors/speech/post-comment.ts';
import { ByteBudget, readBytes, TooBusy, TooLarge, TooSlow } from '../http/incoming-request.ts';
import { webOf } from '../repository/repository.ts';
import type { LiveRuns } from '../runs/run/live-runs.ts';
import { type Command, commandNames, commandSpecs } from '../steering/commands/index.ts';
import { advisableTo } from '../steering/phases/table.ts';
import { shownPhase } from '../steering/shapes/standing.ts';
import type { Refusal } from '../steering/state/pending-effect.ts';
import type { State } from '../steering/state/state.ts';
import { refusalText } from '../words/refusals.ts';
import { type Act, acts } from './action-fields.ts';
import { refuseInvalid } from './http-problem.ts';
import {
  type Api,
  type Env,
  json,
  problems,
  runParams,
  runPath,
  type SignedIn,
  security,
} from './route-parts.ts';

const actedShape = z
  .object({
    status: z.enum(['done', 'queued', 'posted', 'resumed']).meta({
      description:
        'What came of it. `queued`: it waits its turn; `posted`: it has not been taken up yet; `resumed`: an ' +
        'interrupt was resolved',
    }),
    action: z.string().optional().meta({ description: 'How an interrupt was resolved', example: 'retry' }),
    posted: z.literal(true).meta({ description: 'The comment is on GitHub' }),
    repeated: z.boolean().meta({ description: 'It was there before, with the same idempotency key' }),
    comment_url: z.string(),
    phase: runSummaryShape.shape.phase.meta({ description: 'Of the run, after it if it was taken up' }),
    place: z.int().nullable().meta({ description: 'Among the steers that wait; null if it does not' }),
    reply: z.string().nullable().meta({ description: 'What Coxswain replies, as Markdown; null if nothing' }),
    awaited: z.string().nullable().meta({ description: 'What is still to come; null if nothing' }),
  })
  .meta({ id: 'Acted' });

type Acted = z.infer<typeof actedShape>;

const keyHeader = z.object({
  'idempotency-key': z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/, 'expected up to 200 visible characters of ASCII')
    .optional()
    .openapi({
      description: 'Whoever says the same again with the same key has said it once',
      example: '8e03978e',
    }),
});

interface ActingOptions {
  readonly runs: Runs;
  readonly liveRuns: LiveRuns;
}

/** The routes that say something on a run, each as the caller's own comment. */
export function addActing(api: Api, signedIn: SignedIn, options: ActingOptions): void {
  const middleware = [signedIn, limitedBody()];
  for (const [name, act] of Object.entries<Act>(acts)) {
    api.openapi(
      createRoute({
        ...{
          method: 'post',
          path: `${runPath}/${name}`,
          operationId: name,
          tags: ['Acts'],
          security,
          middleware,
        },
        // Up to where it goes into the ways of a comment.
        summary: summaryOf(name)
          .split(/[:.](?: |$)/, 1)
          .join(''),
        description: summaryOf(name),
        request: {
          params: runParams,
          headers: keyHeader,
          body: {
            required: true,
            content: { 'application/json': { schema: act.fields, example: act.example } },
          },
        },
        responses: {
          200: json(actedShape, 'It was taken up'),
          202: json(actedShape, 'It was posted, and waits its turn or to be taken up'),
          ...problems(408, 409, 413, 415, 422),
        },
      }),
      async (c) => {
        const answer = await acted(c, act, options);
        return c.json(answer, answer.awaited === null ? 200 : 202);
      },
      refuseInvalid(act.invalid),
    );
  }
}

function summaryOf(name: string): string {
  const command = commandNames.find((each) => each === name);
  return command === undefined ? 'Resolve an interrupt of a failed task.' : commandSpecs[command].summary;
}

/** How long it is waited for what comes of a comment, in milliseconds. */
const waitMs = 10_000;

/** Says it with the caller's own token, unless it is known that it would be refused. */
async function acted(c: Context<Env>, act: Act, { runs, liveRuns }: ActingOptions): Promise<Acted> {
  const caller = c.get('caller');
  const body: unknown = await c.req.json();
  const found = await runs.read(caller, runParams.parse(c.req.param()));
  const { run, state } = found;
  const command = act.command(body, state);
  const text = composed(command);
  const heard = hearing(run, liveRuns);
  try {
    const key = c.req.header('idempotency-key');
    const check = () => refuseForeseen(command, found, caller);
    const posted = await post({ ...speech(text, key, caller, found, liveRuns), check });
    const seq = posted.repeated ? 0 : state.seq;
    const stepsSince = posted.repeated ? (after: number) => recordedIn(run, after) : heard.stepsSince;
    const step = await awaitEvent(posted.event, { stepsSince, seq, waitMs, signal: c.req.raw.signal });
    const outcome = step && (await outcomeOf(step, webOf(run.repository)));
    const answer = answerOf(posted, outcome, step?.after ?? state);
    return act.action !== undefined && answer.status === 'done'
      ? { ...answer, status: 'resumed', action: act.action(body) }
      : answer;
  } finally {
    heard.stop();
  }
}

/** What is known to be refused is not said on GitHub first. */
function refuseForeseen(command: Command, { run, state, readable }: ReadRun, caller: Caller): void {
  const by = personIn(caller, readable);
  const at = new Date().toISOString();
  const refusal = foreseen(state, command, { by, at });
  if (refusal === undefined) return;
  const suggestions = { possible: advisableTo(state, { by, at }), web: webOf(run.repository) };
  throw new Problem(statusOf(refusal), refusalText(refusal, suggestions));
}

const forbidden: readonly Refusal['why'][] = [
  ...([
    'not_permitted',
    'bot',
    'own_work',
    'unknown_contributors',
    'said_by_app',
    'not_by_workflow',
    'other_way',
  ] as const),
  'options_only',
];

/** What would be refused at any time. */
const unprocessable: readonly Refusal['why'][] = [
  ...(['misspoken', 'task_problems', 'other_task', 'other_interrupt', 'no_such_option'] as const),
  ...(['agent_unusable', 'no_earlier_iteration', 'not_enough', 'beyond_operator'] as const),
];

function statusOf({ why }: Refusal): ProblemStatus {
  if (forbidden.includes(why)) return 403;
  return unprocessable.includes(why) ? 422 : 409;
}

function speech(text: string, key: string | undefined, caller: Caller, found: ReadRun, liveRuns: LiveRuns) {
  const { owner, name: repo, id: repository_id } = found.readable.repository;
  const { seals } = liveRuns.services;
  const sealing = seals && { seals, door: 'api' as const, repository_id, user_id: caller.id, key };
  return { person: caller.octokit, owner, repo, number: found.run.number, text, sealing };
}

/** What is answered; the outcome is undefined if it was not taken up in time. */
function answerOf(
  { html_url: comment_url, repeated }: Posted,
  outcome: Outcome | undefined,
  state: State,
): Acted {
  const { reply = null, place = null, refusal } = outcome ?? {};
  if (refusal !== undefined) throw new Problem(statusOf(refusal), `${reply} See ${comment_url}`);
  const facts = { posted: true as const, repeated, comment_url, phase: shownPhase(state), place, reply };
  if (outcome === undefined)
    return { ...facts, status: 'posted', awaited: 'Coxswain has not taken it up yet.' };
  if (place === null) return { ...facts, status: 'done', awaited: null };
  return { ...facts, status: 'queued', awaited: 'It becomes the next iteration when the current work ends.' };
}

const maxBytes = 1024 * 1024;

/** What all bodies that are being read may hold together, and how long one may take, in milliseconds. */
const maxHeldBytes = 32 * 1024 * 1024;
const withinMs = 10_000;

/**
 * Reads the body of whoever is signed in, within bounds, before anything else reads it. Without a body, there
 * are no fields.
 */
function limitedBody(): SignedIn {
  const budget = new ByteBudget(maxHeldBytes);
  return async (c, next) => {
    const bytes = await readBytes(c.env.incoming, { maxBytes, budget, withinMs }).catch((fault: unknown) => {
      throw problemOfBody(fault);
    });
    const headers = new Headers(c.req.raw.headers);
    if (bytes.length === 0) headers.set('content-type', 'application/json');
    const body = bytes.length === 0 ? '{}' : new Uint8Array(bytes);
    const { method, signal } = c.req.raw;
    c.req.raw = new Request(c.req.url, { method, headers, body, signal });
    await next();
  };
}

function problemOfBody(fault: unknown): unknown {
  if (fault instanceof TooLarge)
    return new Problem(
      413,
      `The body has more than ${maxBytes} bytes, or too many pieces: send a smaller one.`,
    );
  if (fault instanceof TooSlow)
    return new Problem(408, 'The body did not arrive within 10 seconds: send it again.');
  if (fault instanceof TooBusy)
    return new Problem(503, 'Too many bodies are being read: send it again in a moment.', later(5));
  return fault;
}
