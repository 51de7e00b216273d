import { join } from 'node:path';
import type { WebhookEvent } from './events.ts';
import { Git } from './git/plumbing.ts';
import type { Json } from './json.ts';
import type { App, Delivery, Dispatch, Repository } from './model.ts';
import type { RequestHook } from './requests.ts';
import type { Store } from './store.ts';

/** One answered API request, for those who want to hold it against GitHub's description. */
export interface Exchange {
  method: string;
  /** The pattern as GitHub's description spells it, such as `/repos/{owner}/{repo}/issues`. */
  route: string;
  path: string;
  status: number;
  requestBody: unknown;
  responseBody: unknown;
}

/** Something that happened in a repository, as a workflow would be told; `by_actions`: by a GITHUB_TOKEN. */
export interface RepositoryEvent {
  event: string;
  repository: string;
  payload: Json;
  by_actions: boolean;
}

/** Functions that are called as things happen, by the one who started the forge. */
export interface Observers {
  /** Stands before each request: may delay it, answer in the forge's place, or cut the connection. */
  onRequest?: RequestHook | undefined;
  onHtml?: ((path: string) => string | undefined) | undefined;
  onExchange?: ((exchange: Exchange) => void) | undefined;
  onDelivery?: ((event: string, payload: Json) => void) | undefined;
  onEvent?: ((event: RepositoryEvent) => void) | undefined;
  onDispatch?: ((dispatch: Dispatch) => void) | undefined;
  log?: ((line: string) => void) | undefined;
}

/** What every part of the forge works on. */
export interface Context {
  store: Store;
  url: string;
  apiUrl: string;
  dir: string;
  observers: Observers;
  now(): Date;
  /** Sends webhooks to the Apps that listen. */
  emit(event: WebhookEvent): void;
  /** Has a delivery posted to its App, when its turn comes. */
  enqueue(app: App, delivery: Delivery): void;
}

/** The time as GitHub writes it: whole seconds, UTC. */
export function timestamp(context: Context): string {
  return context
    .now()
    .toISOString()
    .replace(/\.\d+Z$/, 'Z');
}

export function fullName(context: Context, repository: Repository): string {
  return `${context.store.account(repository.owner_id).login}/${repository.name}`;
}

export function gitOf(context: Context, repository: Repository): Git {
  return new Git(gitDir(context, repository));
}

/** By id, so that a repository may be renamed. */
export function gitDir(context: Context, repository: Repository): string {
  return join(context.dir, 'repositories', `${repository.id}.git`);
}
