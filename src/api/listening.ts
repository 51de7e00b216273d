import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { createRoute, z } from '@hono/zod-openapi';
import type { EventsFeed } from './events/feed.ts';
import { eventShape } from './events/schema.ts';
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
