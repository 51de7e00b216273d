import type { Json } from './json.ts';
import type { Installation, Repository } from './model.ts';

/** An event that is delivered to the subscribed Apps by webhook. */
export interface WebhookEvent {
  /** Such as `issue_comment`, which GitHub sends as `X-GitHub-Event`. */
  name: string;
  action?: string;
  repository?: Repository;
  installation?: Installation;
  sender_id: number;
  payload: Json;
  /** Delivered only to this App (clicks, re-requested checks). */
  app_id?: number;
}
