import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Octokit } from '../../github/octokit/connect.ts';
import type { LiveRuns } from '../../runs/live-runs.ts';
import type { Repository } from '../../runs/repository.ts';
import { carryOut, readForm } from './deeds.ts';
import { createGuard, type Guard } from './guard.ts';
import { html } from './html.ts';
import { assets } from './look/assets.ts';
import { type Address, addressOf, type Deed, pathOf, type ThreadPlace } from './place.ts';
import { Refusal, refusalOf } from './refusal.ts';
import { type Exchange, sendAsset, sendOn, sendView } from './reply.ts';
import { createViewer, type Viewer } from './viewer.ts';
import type { Typed } from './views/composer.ts';
import { sentencePage } from './views/layout.ts';

export interface PageOptions {
  /** The client in whose name the page reads and speaks: a GitHub user's, not the App's. */
  readonly person: Octokit;
  /** The repositories whose runs are shown. */
  repositories(): Promise<readonly Repository[]>;
  readonly liveRuns: LiveRuns;
  /** Whoever opens `/?key=<key>` is let in; must be hard to guess. */
  readonly key: string;
  /** Where browsers find the page, as `http://127.0.0.1:3000`: asked at each request. */
  origin(): string;
}

export interface Page {
  /** Answers a request that is for the page; false when it is not. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
}

/** The page that lives with the App: it shows every run, and speaks with one person's name and rights. */
export function openPage(options: PageOptions): Page {
  const guard = createGuard(options);
  const viewer = createViewer(options);
  return {
    handle: async (request, response) => {
      const url = new URL(request.url ?? '/', 'http://page');
      const asset = assets.get(url.pathname);
      const address = addressOf(url.pathname);
      if (asset === undefined && address === undefined) return false;
      const exchange = { request, response };
      if (!guard.isOurHost(request)) refuseHost(exchange, options.origin());
      else if (asset !== undefined) sendAsset(exchange, asset);
      else if (address !== undefined) await answer({ exchange, url, address, guard, viewer, options });
      return true;
    },
  };
}

interface Visit {
  readonly exchange: Exchange;
  readonly url: URL;
  readonly address: Address;
  readonly guard: Guard;
  readonly viewer: Viewer;
  readonly options: PageOptions;
}

async function answer(visit: Visit): Promise<void> {
  const { exchange, url, address, guard, viewer } = visit;
  const { method } = exchange.request;
  const key = url.searchParams.get('key');
  if (key !== null && method === 'GET' && guard.isKey(key)) {
    return sendOn(exchange, pathOf(address.place), { 'set-cookie': guard.cookie() });
  }
  if (!guard.hasSession(exchange.request)) return refuseStranger(exchange, url.pathname);
  if (address.deed !== null && address.place.at !== 'overview') {
    return answerDeed(visit, address.place, address.deed);
  }
  if (method !== 'GET' && method !== 'HEAD') return refuseMethod(exchange, 'GET, HEAD');
  const { status, view } = await viewer.view(address.place, { query: url.searchParams });
  sendView(exchange, status, view);
}

async function answerDeed(visit: Visit, place: ThreadPlace, deed: Deed): Promise<void> {
  const { exchange, guard, viewer, options } = visit;
  if (exchange.request.method !== 'POST') return refuseMethod(exchange, 'POST');
  if (!guard.isOurOrigin(exchange.request)) {
    return sendView(exchange, 403, sentencePage('Not from here', 'That form came from another site.'));
  }
  let typed: Typed | null = null;
  try {
    typed = await readForm(exchange.request);
    await viewer.repositoryOf(place);
    await carryOut(options.person, place, deed, typed);
    viewer.forget(place);
    sendOn(exchange, pathOf(place));
  } catch (fault) {
    const { status, message } = fault instanceof Refusal ? fault : refusalOf(fault, 'That was not done');
    if (status === 413) exchange.response.setHeader('connection', 'close');
    const { view } = await viewer.view(place, { notice: message, typed });
    sendView(exchange, status, view);
  }
}

function refuseHost(exchange: Exchange, origin: string): void {
  sendView(
    exchange,
    421,
    sentencePage('Not this address', html`<p>This page lives at <code>${origin}</code>.</p>`),
  );
}

/** The link is to this very page: a browser that came from elsewhere has kept its cookie back until then. */
function refuseStranger(exchange: Exchange, path: string): void {
  const words = html`<p>Open the address with the key that Coxswain printed when it started.</p>
<p>If you have done so and came by a link from another site, <a href="${path}">go on to the page</a>.</p>`;
  sendView(exchange, 401, sentencePage('You are not signed in', words));
}

function refuseMethod(exchange: Exchange, allow: string): void {
  exchange.response.setHeader('allow', allow);
  sendView(exchange, 405, sentencePage('Not like this', html`<p>This address takes ${allow}.</p>`));
}
