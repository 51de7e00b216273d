import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { plainText } from '../doors/speech/compose-comment.ts';
import { post, type Sealing } from '../doors/speech/post-comment.ts';
import type { Octokit } from '../github/octokit/connect.ts';
import { html } from '../html/html.ts';
import { isOurHost, isSameSecret } from '../http/incoming-request.ts';
import {
  commentIn,
  type FormInput,
  formInput,
  HttpError,
  httpErrorFrom,
  readFields,
} from './forms/form-input.ts';
import { commandNameIn, isSaidOnGitHubOnly, Postings } from './forms/offers.ts';
import { resembledCommand } from './forms/resembled-command.ts';
import { type FormAction, type IssueRoute, matchRoute, pathOf, type RouteMatch } from './load/page-routes.ts';
import {
  assets,
  type Exchange,
  isForScript,
  messagePage,
  redirect,
  sendAsset,
  sendView,
} from './page-response.ts';
import { ProgressFeed } from './progress-feed.ts';
import { createRenderer, type PageOptions } from './renderer.ts';
import { isTaskAction, type TaskAction } from './tasks/task-fields.ts';
import { emptyForm, sentForm, type TaskForm, writtenComment } from './tasks/task-form.ts';

/** The App's web page: it shows every run, and comments as one person. */
export function createPage(options: PageOptions) {
  const guard = createGuard(options);
  const postings = new Postings();
  const renderer = createRenderer(options, postings);
  const feed = new ProgressFeed(options.progress);
  return {
    /** Whether these are the headers of someone who has a session here. */
    admits: (headers: IncomingHttpHeaders) => guard.hasSession({ headers }),
    /** Ends what is still being told to listeners. */
    close: () => feed.close(),
    /** Handles a request to the page; false if it is not one. */
    handle: async (request: IncomingMessage, response: ServerResponse) => {
      const url = new URL(request.url ?? '/', 'http://page');
      const asset = assets.get(url.pathname);
      const match = matchRoute(url.pathname);
      if (asset === undefined && match === undefined) return false;
      const exchange = { request, response };
      if (!isOurHost(request, options.origin())) sendWrongHost(exchange, options.origin());
      else if (asset !== undefined) sendAsset(exchange, asset);
      else if (match !== undefined)
        await handleRoute({ exchange, url, match, guard, renderer, feed, postings, options });
      return true;
    },
  };
}

interface RouteRequest {
  readonly exchange: Exchange;
  readonly url: URL;
  readonly match: RouteMatch;
  readonly guard: ReturnType<typeof createGuard>;
  readonly renderer: ReturnType<typeof createRenderer>;
  readonly feed: ProgressFeed;
  readonly postings: Postings;
  readonly options: PageOptions;
}

async function handleRoute(request: RouteRequest): Promise<void> {
  const { exchange, url, match, guard, renderer } = request;
  const { route, action } = match;
  const { method } = exchange.request;
  const key = url.searchParams.get('key');
  if (key !== null && method === 'GET' && guard.isKey(key)) {
    return redirect(exchange, pathOf(route), { 'set-cookie': guard.sessionCookie() });
  }
  if (!guard.hasSession(exchange.request)) return sendUnauthorized(request);
  if (action === 'progress' && route.page !== 'overview') return handleFeed(request, route);
  if (action !== null && action !== 'progress' && route.page !== 'overview')
    return isTaskAction(action) ? handleTask(request, route, action) : handleForm(request, route, action);
  if (method !== 'GET' && method !== 'HEAD') return sendMethodNotAllowed(exchange, 'GET, HEAD');
  const scripted = isForScript(exchange.request);
  const { status, view, leadsTo } = await renderer.render(route, { query: url.searchParams, scripted });
  if (leadsTo !== undefined) return redirect(exchange, pathOf(leadsTo));
  sendView(exchange, status, view);
}

async function handleFeed({ exchange, renderer, feed }: RouteRequest, route: IssueRoute): Promise<void> {
  if (exchange.request.method !== 'GET') return sendMethodNotAllowed(exchange, 'GET');
  let run: string;
  try {
    run = await renderer.findRun(route);
  } catch (fault) {
    const { status, message } = httpErrorFrom(fault, `Could not follow ${pathOf(route)}`);
    return sendView(exchange, status, messagePage('Unavailable', message));
  }
  if (feed.hasRoom) return feed.open(exchange, run);
  exchange.response.setHeader('retry-after', '5');
  sendView(exchange, 503, messagePage('Busy', 'Too many people are listening; try again later.'));
}

async function handleForm(request: RouteRequest, route: IssueRoute, action: FormAction): Promise<void> {
  const { exchange, guard, renderer } = request;
  if (exchange.request.method !== 'POST') return sendMethodNotAllowed(exchange, 'POST');
  if (!guard.isOurOrigin(exchange.request)) return sendForeign(exchange);
  let input: FormInput | null = null;
  try {
    input = formInput(await readFields(exchange.request));
    const resembled = action === 'comment' ? askedFirst(input) : undefined;
    if (resembled !== undefined) return await showAgain(request, route, 409, { ...input, resembled });
    await act(request, route, action === 'label' ? action : { body: commentIn(input), left: leftOf(input) });
  } catch (fault) {
    const { status, message } = httpErrorFrom(fault, 'The request failed');
    if (status === 413) exchange.response.setHeader('connection', 'close');
    const scripted = isForScript(exchange.request);
    const { view } = await renderer.render(route, { notice: message, input, scripted });
    sendView(exchange, status, view);
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
  { exchange, renderer }: RouteRequest,
  route: IssueRoute,
  status: number,
  input: FormInput,
): Promise<void> {
  const { view } = await renderer.render(route, { input, scripted: isForScript(exchange.request) });
  sendView(exchange, status, view);
}

/** A form about a task: shown on a page of its own, and posted as the comment that it comes to. */
async function handleTask(request: RouteRequest, route: IssueRoute, action: TaskAction): Promise<void> {
  const { exchange, guard, renderer } = request;
  const { method } = exchange.request;
  const isPost = method === 'POST';
  if (!isPost && method !== 'GET' && method !== 'HEAD')
    return sendMethodNotAllowed(exchange, 'GET, HEAD, POST');
  if (isPost && !guard.isOurOrigin(exchange.request)) return sendForeign(exchange);
  let form: TaskForm | undefined;
  const show = async (status: number, notice?: string) => {
    const { view } = await renderer.renderForm(route, action, { form, notice });
    sendView(exchange, status, view);
  };
  try {
    const sent = isPost ? await readFields(exchange.request) : undefined;
    form = sent && sentForm(action, sent);
    const source = await renderer.findTask(route, action);
    const isOutdated = form !== undefined && form.about !== source.about;
    const { about, profiles } = source;
    form = form === undefined ? emptyForm(action, source) : { ...form, about, profiles };
    if (isOutdated)
      return await show(409, 'It has failed again since this form was opened: see why, then send it again.');
    if (!isPost || form.added || form.isDraft) return await show(200);
    const written = writtenComment(form, source);
    if ('body' in written) return await act(request, route, written);
    form = { ...form, problems: written.problems };
    return await show(422);
  } catch (fault) {
    const { status, message } = httpErrorFrom(fault, 'The request failed');
    if (status === 413) exchange.response.setHeader('connection', 'close');
    await show(status, message);
  }
}

function sendForeign(exchange: Exchange): void {
  sendView(exchange, 403, messagePage('Request refused', 'This form was sent from another site.'));
}

function sendWrongHost(exchange: Exchange, origin: string): void {
  const where = html`<p>This page is served at <code>${origin}</code>.</p>`;
  sendView(exchange, 421, messagePage('Wrong address', where));
}

/**
 * The link leads to the same page: a browser sends no cookie when another site links here. Without scripts,
 * what somebody wrote before the session was lost is shown, so that it can be copied.
 */
async function sendUnauthorized({ exchange, url, guard }: RouteRequest): Promise<void> {
  const { request } = exchange;
  const isOurs = request.method === 'POST' && guard.isOurOrigin(request) && !isForScript(request);
  const sent = isOurs ? await readFields(request).catch(() => undefined) : undefined;
  const texts = [...(sent ?? [])].filter(
    ([key, text]) => key !== 'about' && key !== 'command' && text !== '',
  );
  const kept = texts.map(
    ([key, text]) => html`<dt>${key}</dt><dd class="preserve-lines">${plainText(text)}</dd>`,
  );
  const help = html`<p>Open the address that Coxswain printed when it started: it contains the key.</p>
<p>If you have done so before and followed a link from another site, <a href="${url.pathname}">continue to the page</a>.</p>
${kept.length > 0 && html`<h2>What you wrote (not posted)</h2><dl>${kept}</dl>`}`;
  sendView(exchange, 401, messagePage('You are not signed in', help));
}

function sendMethodNotAllowed(exchange: Exchange, allow: string): void {
  exchange.response.setHeader('allow', allow);
  const only = html`<p>This address accepts only ${allow}.</p>`;
  sendView(exchange, 405, messagePage('Method not allowed', only));
}

/**
 * Checks that a request has a session, and that a form comes from our own pages. The
 * session is derived from the key, so it survives a restart that keeps the key.
 */
function createGuard({ key, origin }: { key: string; origin(): string }) {
  if (key === '') throw new Error('could not guard the page: its key is empty');
  const session = createHmac('sha256', key).update('coxswain page session').digest('hex');
  // All ports of a host share cookies, so two Apps need two names.
  const name = () => `coxswain_${new URL(origin()).port || 'session'}`;
  return {
    /** The request comes from one of our own pages (CSRF). */
    isOurOrigin: ({ headers }: Asking) => headers.origin === new URL(origin()).origin,
    isKey: (text: string) => isSameSecret(text, key),
    hasSession: (request: Asking) => cookiesOf(request, name()).some((value) => isSameSecret(value, session)),
    /** Begins a session; this is the value of its `Set-Cookie`. */
    sessionCookie: () => {
      const secure = new URL(origin()).protocol === 'https:' ? '; Secure' : '';
      return `${name()}=${session}; HttpOnly; SameSite=Strict; Path=/${secure}`;
    },
  };
}

type Asking = Pick<IncomingMessage, 'headers'>;

function cookiesOf({ headers }: Asking, name: string): readonly string[] {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1));
}

/**
 * Acts on GitHub with the person's account, for the page itself has no permissions: it adds the label that
 * starts a run, or comments. If a run was asked for, the address says when, by GitHub's clock in seconds.
 */
async function act(request: RouteRequest, route: IssueRoute, what: 'label' | CommentBody): Promise<void> {
  const { exchange, renderer, options } = request;
  const repository = await renderer.findRepository(route);
  const { liveRuns, person } = options;
  const seq = liveRuns.ifOpen(repository, route.number)?.newest?.seq ?? -1;
  const started =
    what === 'label'
      ? await addLabel(person, route, await liveRuns.configuration.trigger(repository))
      : await comment(request, route, what.body, seq, await sealingFor(request, repository.id));
  renderer.invalidate(route);
  if (what !== 'label' && what.left !== undefined) return showAgain(request, route, 200, what.left);
  redirect(exchange, `${pathOf(route)}${started === null ? '' : `?started=${started}`}`);
}

interface CommentBody {
  readonly body: string;
  /** What was written beside it, to be shown again. */
  readonly left?: FormInput | undefined;
}

/** The page seals what it posts where the App has a key, so that it counts also with a token of the App. */
async function sealingFor(
  { renderer, options }: RouteRequest,
  repository_id: number,
): Promise<Sealing | undefined> {
  const { seals } = options.liveRuns.services;
  const account = await renderer.findAccount();
  return seals && account ? { seals, door: 'page', repository_id, user_id: account.id } : undefined;
}

async function addLabel(person: Octokit, route: IssueRoute, trigger: string): Promise<number | null> {
  const { owner, repo, number: issue_number } = route;
  const { headers } = await person.rest.issues
    .addLabels({ owner, repo, issue_number, labels: [trigger] })
    .catch((fault: unknown) => {
      throw httpErrorFrom(fault, 'The label was not added');
    });
  return secondsOf(headers.date);
}

/**
 * The same command is not posted again while it waits to be taken up. `seq` is the number of the run's newest
 * ledger commit; -1 if it is not known, or where there is no run.
 */
async function comment(
  { postings, options: { person, reach } }: RouteRequest,
  route: IssueRoute,
  text: string,
  seq: number,
  sealing: Sealing | undefined,
): Promise<number | null> {
  const name = commandNameIn(text);
  if (name !== undefined && isSaidOnGitHubOnly(name, reach)) throw new HttpError(403, saidOnGitHub(name));
  if (name !== undefined && !text.trimStart().startsWith('/')) throw new HttpError(422, hiddenCommand(name));
  const path = pathOf({ ...route, page: 'issues' });
  const before = postings.of(path, seq);
  if (before?.phase === 'waiting' && before.body !== text && isResolution(before.name) && isResolution(name))
    throw new HttpError(
      409,
      `/${before.name} was posted just now, and the first command counts: see what happens to it.`,
    );
  const starts = name === 'run' && route.page === 'issues';
  if (name !== undefined && !postings.begin(path, { name, body: text, seq }))
    return starts ? nowSeconds() : null;
  try {
    const { owner, repo, number } = route;
    const { created_at } = await post({ person, owner, repo, number, text, sealing });
    return starts ? secondsOf(created_at) : null;
  } catch (fault) {
    postings.forget(path);
    throw httpErrorFrom(fault, 'The comment was not accepted');
  }
}

/** Whether it ends an interrupt, which only one can. */
function isResolution(name: string | undefined): boolean {
  return name !== undefined && name !== 'run' && isTaskAction(name);
}

/** What begins as a comment for people is one: a command in it may only have been pasted. */
function hiddenCommand(name: string): string {
  return `This comment has the command /${name} in it: begin the comment with it, or leave it out.`;
}

function saidOnGitHub(name: string): string {
  return (
    `/${name} is not accepted here, because this page can be reached from other machines and acts with one ` +
    "person's account. Use it on GitHub."
  );
}

/** Comments are compared with it, whose times GitHub gives in whole seconds. */
function secondsOf(date: string | undefined): number {
  const milliseconds = Date.parse(date ?? '');
  return Number.isNaN(milliseconds) ? nowSeconds() : Math.floor(milliseconds / 1000);
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
