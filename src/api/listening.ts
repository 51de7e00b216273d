import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { createRoute, z } from '@hono/zod-openapi';
import { eventShape, notificationShape } from './event-schema.ts';
import type { EventsFeed } from './feed.ts';
import type { Identity } from './identity.ts';
import { type Api, problems, runParams, runPath, type SignedIn, security } from './routes.ts';
import type { Runs } from './runs.ts';

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

interface ListeningOptions {
  readonly identity: Identity;
  readonly runs: Runs;
  readonly feed: EventsFeed;
}

/** The route that tells what happens to a run while it happens. */
export function addListening(api: Api, signedIn: SignedIn, { identity, runs, feed }: ListeningOptions): void {
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
