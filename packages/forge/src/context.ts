import { join } from 'node:path';
import type { Faults } from './faults.ts';
import { Git } from './git/plumbing.ts';
import type { Account, App, Delivery, Dispatch, Installation, Json, Repository } from './model.ts';
import type { LoggedRequest } from './request-log.ts';
import type { RequestHook } from './requests.ts';
import type { Store } from './store.ts';

/** One API request and its response, for example to validate them against GitHub's OpenAPI description. */
export interface Exchange extends Omit<LoggedRequest, 'actor' | 'time'> {
  requestBody: unknown;
  responseBody: unknown;
}

/** An event that could trigger a workflow. `by_actions` is true if a GITHUB_TOKEN caused it. */
export interface RepositoryEvent {
  event: string;
  repository: string;
  payload: Json;
  by_actions: boolean;
}

/** Callbacks of the code that started the forge. */
export interface Observers {
  /** Runs before each request; may delay it, respond instead of the forge, or drop the connection. */
  onRequest?: RequestHook | undefined;
  onExchange?: ((exchange: Exchange) => void) | undefined;
  onDelivery?: ((event: string, payload: Json) => void) | undefined;
  onEvent?: ((event: RepositoryEvent) => void) | undefined;
  onDispatch?: ((dispatch: Dispatch) => void) | undefined;
  log?: ((line: string) => void) | undefined;
}

/** The state and services that all parts of the forge share. */
export interface Context {
  store: Store;
  url: string;
  apiUrl: string;
  dir: string;
  observers: Observers;
  faults: Faults;
  /** Who is signed in when a browser comes to sign in at an App; null: nobody, so people choose. */
  signedIn: Account | null;
  /** The most entries on a page. */
  largestPage: number;
  now(): Date;
  /** Sends webhooks to the Apps that are subscribed to the event. */
  emit(event: WebhookEvent): void;
  /** Queues a delivery to its App. */
  enqueue(app: App, delivery: Delivery): void;
}

/** Who does something in the forge. A request of the API is one, too. */
export interface Sender {
  context: Context;
  sender_id: number;
}

/** The same for somebody who changes branches of a repository. */
export interface Pusher extends Sender {
  repository: Repository;
}

/** The current time in GitHub's format: whole seconds, UTC. */
export function timestamp(context: Context): string {
  return context
    .now()
    .toISOString()
    .replace(/\.\d+Z$/, 'Z');
}

export function fullName(context: Context, repository: Repository): string {
  return `${context.store.account(repository.owner_id).login}/${repository.name}`;
}

/** Git in a repository, or in that of an issue or a review. */
export function gitOf(context: Context, place: Repository | { repository_id: number }): Git {
  const repository = 'repository_id' in place ? context.store.repository(place.repository_id) : place;
  const git = gits.get(repository) ?? new Git(gitDir(context, repository));
  gits.set(repository, git);
  return git;
}

const gits = new WeakMap<Repository, Git>();

/** Named by id, so that a repository can be renamed. */
export function gitDir(context: Context, repository: Repository): string {
  return join(context.dir, 'repositories', `${repository.id}.git`);
}

/** An event that is delivered to the subscribed Apps by webhook. */
export interface WebhookEvent {
  /** Such as `issue_comment`, which GitHub sends as `X-GitHub-Event`. */
  name: string;
  action?: string;
  repository?: Repository;
  installation?: Installation;
  sender_id: number;
  /** Who caused what GitHub does on its own; absent: the sender. */
  cause_id?: number;
  payload: Json;
  /** Delivered only to this App (clicks, re-requested checks, an authorization that has ended). */
  app_id?: number | undefined;
}
