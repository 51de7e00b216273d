import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { plainText } from '../doors/speech/compose-comment.ts';
import type { Log } from '../github/octokit/connect.ts';
import { type Html, html } from '../html/html.ts';
import { isOurHost, isOurOrigin } from '../http/incoming-request.ts';
import { queryCommands } from '../steering/commands/index.ts';
import { Batches } from './batches.ts';
import { commentIn, type FormInput, formInput, pageProblem, readFields } from './forms/form-input.ts';
import { commandNameIn } from './forms/offers.ts';
import { resembledCommand } from './forms/resembled-command.ts';
import { inboxQuery, printedQuery } from './inbox/inbox-query.ts';
import { statusOf } from './load/github-reader.ts';
import { type IssueRoute, matchRoute, pathOf, type Route } from './load/page-routes.ts';
import type { PageOptions } from './page-context.ts';
import {
  assets,
  type Exchange,
  isForScript,
  messagePage,
  redirect,
  sendAsset,
  sendReply,
  sendView,
  type View,
} from './page-response.ts';
import { ProgressFeed } from './progress-feed.ts';
import { createRenderer } from './renderer.ts';
import { foreignForm, onlyTakes } from './sign-in/entrance.ts';
import { type Visitor, Visitors } from './sign-in/visitors.ts';
import { speak } from './speak.ts';
import { isTaskAction, type TaskAction } from './tasks/task-fields.ts';
import { emptyForm, sentForm, type TaskForm, writtenComment } from './tasks/task-form.ts';

/** The App's web page: it shows people the runs that they may read, and comments as them. */
export function createPage(options: PageOptions) {
  const { entrance, origin } = options;
  const page = {
    options,
    renderer: createRenderer(options),
    feed: new ProgressFeed(options.progress),
    visitors: new Visitors(options.identity),
    batches: new Batches(options),
  };
  return {
    /** Whether these are the headers of someone who has a session here. */
    admits: (headers: IncomingHttpHeaders) => entrance.admit(headers) !== undefined,
    /** Ends what is still being told to listeners. */
    close: () => {
      page.feed.close();
      page.batches.close();
    },
    /** Handles a request to the page; false if it is not one. */
    handle: async (request: IncomingMessage, response: ServerResponse) => {
      const target = request.url ?? '/';
      // A path that begins with two slashes is taken for a host, which not every text is.
      if (!URL.canParse(target, 'http://page')) return false;
      const url = new URL(target, 'http://page');
      const asset = assets.get(url.pathname);
      const match = matchRoute(url.pathname);
      const isOther = [...entrance.paths, ...batchPaths].includes(url.pathname);
      const isOurs = asset !== undefined || match !== undefined || isOther;
      if (!isOurs) return false;
      const exchange = { request, response };
      if (!isOurHost(request, origin())) sendWrongHost(exchange, origin());
      else if (asset !== undefined) sendAsset(exchange, asset);
      else await handleVisit({ ...page, exchange, url });
      return true;
    },
  };
}

/** A request, and what answers it. */
interface Visit {
  readonly exchange: Exchange;
  readonly url: URL;
  readonly options: PageOptions;
  readonly renderer: ReturnType<typeof createRenderer>;
  readonly feed: ProgressFeed;
  readonly visitors: Visitors;
  readonly batches: Batches;
}

function logOf({ options }: Visit): Log {
  return options.liveRuns.services.log;
}

/** A request of somebody who was let in. */
interface RouteRequest extends Visit {
  readonly visitor: Visitor;
  /** The form that was sent, once it has been read. */
  readonly sent?: URLSearchParams;
}

async function handleVisit(visit: Visit): Promise<void> {
  const { exchange, url, options, visitors } = visit;
  const { entrance } = options;
  const reply = await entrance.answer(exchange.request, url);
  if (reply !== undefined) return sendReply(exchange, reply);
  const admitted = entrance.admit(exchange.request.headers);
  if (admitted === undefined) return sendStranger(visit, { isOver: false });
  try {
    await handleRoute({ ...visit, visitor: await visitors.of(admitted) });
  } catch (fault) {
    const { status, message } = pageProblem(fault, 'Could not find out who you are', logOf(visit));
    if (statusOf(fault) === 401) return sendStranger(visit, { isOver: true });
    sendView(exchange, status, messagePage('Unavailable', message));
  }
}

async function handleRoute(request: RouteRequest): Promise<void> {
  const { exchange, url, renderer, visitor } = request;
  if (batchPaths.includes(url.pathname)) return handleBatch(request);
  const match = matchRoute(url.pathname);
  if (match === undefined) return sendView(exchange, 404, messagePage('Not found', 'There is no such page.'));
  const { action } = match;
  const route = comingFrom(match.route, url.searchParams.get('from'));
  const { method } = exchange.request;
  if (action === 'progress' && route.page !== 'inbox') return handleFeed(request, route);
  if (action !== null && action !== 'progress' && route.page !== 'inbox')
    return isTaskAction(action) ? handleTask(request, route, action) : handleForm(request, route);
  if (method !== 'GET' && method !== 'HEAD') return sendReply(exchange, onlyTakes('GET, HEAD'));
  const scripted = isForScript(exchange.request);
  const asked = { query: url.searchParams, scripted };
  const { status, view, leadsTo } = await renderer.render(visitor, route, asked);
  if (leadsTo !== undefined) return redirect(exchange, pathOf(leadsTo));
  await show(request, status, view);
}

/** GitHub may have refused the person's token meanwhile, so that the view has nothing to show. */
async function show(request: RouteRequest, status: number, view: View): Promise<void> {
  if (request.visitor.isRefused) return sendStranger(request, { isOver: true, sent: request.sent });
  sendView(request.exchange, status, view);
}

/** The first shows what would be said on many runs, the second says it. */
const batchPaths = ['/batch', '/batch/say'];

async function handleBatch(before: RouteRequest): Promise<void> {
  const { exchange, url, options, visitor, batches } = before;
  if (exchange.request.method !== 'POST') return sendReply(exchange, onlyTakes('POST'));
  if (!isOurOrigin(exchange.request, options.origin())) return sendReply(exchange, foreignForm);
  let request = before;
  try {
    const sent = await readFields(exchange.request);
    request = { ...before, sent };
    if (url.pathname === '/batch/say') return await batches.say(exchange, visitor, sent);
    await show(request, 200, await batches.review(visitor, sent));
  } catch (fault) {
    const { status, message } = pageProblem(fault, 'The request failed', logOf(request));
    const back = html`<p><a href="/">Back to the inbox</a></p>`;
    await show(request, status, messagePage('Not said', html`<p>${message}</p>`, back));
  }
}

async function handleFeed(request: RouteRequest, route: IssueRoute): Promise<void> {
  const { exchange, renderer, feed, visitor } = request;
  if (exchange.request.method !== 'GET') return sendReply(exchange, onlyTakes('GET'));
  let run: string;
  try {
    run = await renderer.findRun(visitor, route);
  } catch (fault) {
    const { status, message } = pageProblem(fault, `Could not follow ${pathOf(route)}`, logOf(request));
    return show(request, status, messagePage('Unavailable', message));
  }
  if (feed.hasRoomFor(visitor.caller.id)) return feed.open(exchange, visitor.caller.id, run);
  exchange.response.setHeader('retry-after', '5');
  sendView(exchange, 503, messagePage('Busy', 'Too many people are listening; try again later.'));
}

async function handleForm(before: RouteRequest, route: IssueRoute): Promise<void> {
  const { exchange, options, renderer, visitor } = before;
  if (exchange.request.method !== 'POST') return sendReply(exchange, onlyTakes('POST'));
  if (!isOurOrigin(exchange.request, options.origin())) return sendReply(exchange, foreignForm);
  let request = before;
  let input: FormInput | null = null;
  try {
    const sent = await readFields(exchange.request);
    request = { ...before, sent };
    input = formInput(sent);
    const { remarking } = input;
    if (remarking?.isToPost === false) return await showAgain(request, route, 200, input);
    // Whoever remarked on a commit that has been replaced sees the new one before anything is posted.
    if (remarking !== undefined && (await renderer.findHead(visitor, route)) !== remarking.head)
      return await showAgain(request, route, 409, input);
    const resembled = askedFirst(input);
    if (resembled !== undefined) return await showAgain(request, route, 409, { ...input, resembled });
    await act(request, route, { body: commentIn(input), left: leftOf(input) });
  } catch (fault) {
    const { status, message } = pageProblem(fault, 'The request failed', logOf(request));
    if (status === 413) exchange.response.setHeader('connection', 'close');
    const scripted = isForScript(exchange.request);
    const { view } = await renderer.render(visitor, route, { notice: message, input, scripted });
    await show(request, status, view);
  }
}

/** What a steer may have been meant to say instead, which costs no work of an agent. */
function askedFirst({ command, text, say, asked_about }: FormInput) {
  if (command !== 'steer' || say !== undefined || asked_about?.trim() === text.trim()) return undefined;
  return resembledCommand(text);
}

/** Who says a command that is only a part of what they wrote may still want to say the rest. */
function leftOf({ say, text }: FormInput): FormInput | undefined {
  if (say === undefined || text.trim() === '' || resembledCommand(text)?.isAll === true) return undefined;
  return { command: 'steer', text, posted: say };
}

/** The page comes again with what was written: with a question, or after only a part of it was posted. */
async function showAgain(
  request: RouteRequest,
  route: IssueRoute,
  status: number,
  input: FormInput,
): Promise<void> {
  const { exchange, renderer, visitor } = request;
  const scripted = isForScript(exchange.request);
  const { view } = await renderer.render(visitor, route, { input, scripted });
  await show(request, status, view);
}

/** A form about a task: shown on a page of its own, and posted as the comment that it comes to. */
async function handleTask(before: RouteRequest, route: IssueRoute, action: TaskAction): Promise<void> {
  const { exchange, options, renderer, visitor } = before;
  const { method } = exchange.request;
  const isPost = method === 'POST';
  if (!isPost && method !== 'GET' && method !== 'HEAD')
    return sendReply(exchange, onlyTakes('GET, HEAD, POST'));
  if (isPost && !isOurOrigin(exchange.request, options.origin())) return sendReply(exchange, foreignForm);
  let request = before;
  let form: TaskForm | undefined;
  const showForm = async (status: number, notice?: string) => {
    const { view } = renderer.renderForm(visitor, route, action, { form, notice });
    await show(request, status, view);
  };
  try {
    const sent = isPost ? await readFields(exchange.request) : undefined;
    request = { ...before, ...(sent && { sent }) };
    form = sent && sentForm(action, sent);
    const source = await renderer.findTask(visitor, route, action);
    const isOutdated = form !== undefined && form.about !== source.about;
    const { about, profiles } = source;
    form = form === undefined ? emptyForm(action, source) : { ...form, about, profiles };
    if (isOutdated)
      return await showForm(
        409,
        'It has failed again since this form was opened: see why, then send it again.',
      );
    if (!isPost || form.added || form.isDraft) return await showForm(200);
    const written = writtenComment(form, source);
    if ('body' in written) return await act(request, route, written);
    form = { ...form, problems: written.problems };
    return await showForm(422);
  } catch (fault) {
    const { status, message } = pageProblem(fault, 'The request failed', logOf(request));
    if (status === 413) exchange.response.setHeader('connection', 'close');
    await showForm(status, message);
  }
}

function sendWrongHost(exchange: Exchange, origin: string): void {
  const where = html`<p>This page is served at <a href="${origin}">${origin}</a>.</p>
<p>If that is the address that you opened, a proxy in front of it does not pass on the header <code>Host</code>: its operator changes that.</p>`;
  sendView(exchange, 421, messagePage('Wrong address', where));
}

/** Whoever has nobody's session is shown how to get one, and what they wrote before it was lost. */
async function sendStranger(
  { exchange, url, options }: Visit,
  { isOver, sent }: { readonly isOver: boolean; readonly sent?: URLSearchParams | undefined },
): Promise<void> {
  const { request } = exchange;
  const reply = options.entrance.wayIn(request, url, isOver);
  if ('leadsTo' in reply) return sendReply(exchange, reply);
  const isForm = request.method === 'POST' && isOurOrigin(request, options.origin()) && !isForScript(request);
  const written = isForm ? (sent ?? (await readFields(request).catch(() => undefined))) : undefined;
  sendReply(exchange, { ...reply, content: html`${reply.content}${notPosted(written)}` });
}

/** It is shown so that it can be copied. */
function notPosted(sent: URLSearchParams | undefined): Html | false {
  const texts = [...(sent ?? [])].filter(([key, text]) => !unwritten.includes(key) && text !== '');
  const kept = texts.map(
    ([key, text]) => html`<dt>${key}</dt><dd class="preserve-lines">${plainText(text)}</dd>`,
  );
  return kept.length > 0 && html`<h2>What you wrote (not posted)</h2><dl>${kept}</dl>`;
}

/** Fields of our own forms that say nothing to whoever wrote in them. */
const unwritten = ['about', 'command', 'run', 'shown', 'view'];

interface CommentBody {
  readonly body: string;
  /** What was written beside it, to be shown again. */
  readonly left?: FormInput | undefined;
}

async function act(request: RouteRequest, route: IssueRoute, { body, left }: CommentBody): Promise<void> {
  const { exchange, renderer, visitor, options } = request;
  const repository = await renderer.findRepository(visitor, route);
  const started = await speak({ visitor, route, repository, liveRuns: options.liveRuns }, body);
  if (left !== undefined) return showAgain(request, route, 200, left);
  const name = commandNameIn(body);
  const settles = name !== undefined && !queryCommands.some((query) => query === name);
  if (route.from !== undefined && settles) {
    // It is posted, and would be posted again by whoever were told that something failed.
    const next = renderer
      .findNext(visitor, { ...route, from: route.from }, name)
      .catch(() => `/?${route.from}`);
    return redirect(exchange, await next);
  }
  const query = {
    ...(started !== null && { started: String(started) }),
    ...(route.from !== undefined && { from: route.from }),
  };
  const printed = new URLSearchParams(query).toString();
  redirect(exchange, `${pathOf(route)}${printed && `?${printed}`}`);
}

/** From which inbox a run is looked at, if its address says so. */
function comingFrom(route: Route, from: string | null): Route {
  if (route.page === 'inbox' || from === null) return route;
  return { ...route, from: printedQuery(inboxQuery(new URLSearchParams(from)).query) };
}
