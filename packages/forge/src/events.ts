import type { Json } from './json.ts';
import type { Installation, Repository } from './model.ts';

/** Something that happened, as the Apps that listen are told of it by webhook. */
export interface WebhookEvent {
  /** Such as `issue_comment`, which GitHub sends as `X-GitHub-Event`. */
  name: string;
  action?: string;
  repository?: Repository;
  installation?: Installation;
  sender_id: number;
  payload: Json;
  /** Only this App is told (clicks, requests to check again). */
  app_id?: number;
}
