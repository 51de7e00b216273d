import { createHash } from 'node:crypto';
import { type Actor, authenticate } from './actors.ts';
import { type Answer, notFound, Refusal } from './answers.ts';
import type { Context } from './context.ts';
import { Input } from './input.ts';
import { refuseUnlessAllowed } from './permissions.ts';
import type { ApiRequest, Match, Router } from './router.ts';

/** What arrived, before anything of it is believed. */
export interface RawRequest {
  method: string;
  /** `/api/v3` taken off. */
  path: string;
  query: URLSearchParams;
  body: string;
  headers: {
    authorization?: string | undefined;
    accept?: string | undefined;
    if_none_match?: string | undefined;
  };
  /** The address asked for, without its query. */
  address: string;
}

export interface Outcome {
  answer: Answer;
  actor: string;
  route: string;
  request_body: unknown;
}

/** Answers one API request: who asks, for what, may they, then the route's own work. */
export async function answerRequest(context: Context, router: Router, raw: RawRequest): Promise<Outcome> {
  const outcome: Outcome = {
    answer: { status: 500 },
    actor: 'anonymous',
    route: 'none',
    request_body: undefined,
  };
  try {
    const match = router(raw.method === 'HEAD' ? 'GET' : raw.method, raw.path);
    outcome.route = match?.route.path ?? 'none';
    const actor = authenticate(context, raw.headers.authorization);
    outcome.actor = nameOf(actor);
    outcome.request_body = parsedBody(raw.body);
    if (!match) throw notFound();
    const answer = await dispatched(
      requestFrom(context, raw, { actor, match, body: outcome.request_body }),
      match,
    );
    outcome.answer = unlessUnchanged(answer, raw);
  } catch (error) {
    outcome.answer = answerTo(context, error);
  }
  return outcome;
}

function requestFrom(
  context: Context,
  raw: RawRequest,
  { actor, match, body }: { actor: Actor; match: Match; body: unknown },
): ApiRequest {
  return {
    context,
    actor,
    params: match.params,
    query: raw.query,
    input: new Input(body),
    accept: raw.headers.accept ?? '',
    address: raw.address,
  };
}

function dispatched(request: ApiRequest, { route }: Match): Answer | Promise<Answer> {
  const { context, actor, params } = request;
  switch (route.for) {
    case 'anyone':
      return route.run(request);
    case 'app':
      if (actor.kind !== 'app') throw new Refusal(401, 'A JSON web token could not be decoded');
      return route.run({ ...request, app: actor.app });
    case 'installation':
      if (actor.kind !== 'installation')
        throw new Refusal(
          403,
          'You must authenticate with an installation access token in order to list repositories',
        );
      return route.run({ ...request, actor });
    case 'repository': {
      const repository = context.store.repositoryNamed(params['owner'] ?? '', params['repo'] ?? '');
      if (!repository) throw notFound();
      refuseUnlessAllowed(actor, { repository, needs: route.needs });
      return route.run({ ...request, repository });
    }
  }
}

/** A conditional request for what has not changed costs nothing and says 304. */
function unlessUnchanged(answer: Answer, raw: RawRequest): Answer {
  if (raw.method !== 'GET' || answer.status !== 200) return answer;
  const content = answer.text?.content ?? JSON.stringify(answer.body);
  const etag = `W/"${createHash('sha256').update(content).digest('hex')}"`;
  const headers = { ...answer.headers, etag };
  const known = (raw.headers.if_none_match ?? '').split(/,\s*/);
  return known.includes(etag) ? { status: 304, headers } : { ...answer, headers };
}

function parsedBody(body: string): unknown {
  if (body.trim() === '') return undefined;
  try {
    return JSON.parse(body);
  } catch (cause) {
    throw Object.assign(new Refusal(400, 'Problems parsing JSON'), { cause });
  }
}

function answerTo(context: Context, error: unknown): Answer {
  if (error instanceof Refusal) return error.answer();
  context.observers.log?.(`the forge failed: ${error instanceof Error ? error.stack : String(error)}`);
  return {
    status: 500,
    body: { message: 'Server Error', documentation_url: 'https://docs.github.com/rest', status: '500' },
  };
}

function nameOf(actor: Actor): string {
  switch (actor.kind) {
    case 'anonymous':
      return 'anonymous';
    case 'app':
      return actor.app.slug;
    case 'user':
    case 'installation':
      return actor.account.login;
  }
}
