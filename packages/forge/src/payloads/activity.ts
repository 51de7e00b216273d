import type { Context } from '../context.ts';
import type { Json } from '../json.ts';
import type { Activity } from '../model.ts';
import { accountById } from './accounts.ts';
import { nodeId } from './links.ts';

export function activityPayload(context: Context, activity: Activity): Json {
  const { id, before, after, ref, timestamp, activity_type, actor_id } = activity;
  return {
    id,
    node_id: nodeId('Push', id),
    before,
    after,
    ref,
    timestamp,
    activity_type,
    actor: accountById(context, actor_id),
  };
}
