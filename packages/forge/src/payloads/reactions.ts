import type { Context } from '../context.ts';
import type { Json } from '../json.ts';
import type { Reaction } from '../model.ts';
import { accountById } from './accounts.ts';
import { nodeId } from './links.ts';

export const reactionContents = [
  '+1',
  '-1',
  'laugh',
  'confused',
  'heart',
  'hooray',
  'rocket',
  'eyes',
] as const;

export function reactionPayload(context: Context, reaction: Reaction): Json {
  return {
    id: reaction.id,
    node_id: nodeId('Reaction', reaction.id),
    user: accountById(context, reaction.user_id),
    content: reaction.content,
    created_at: reaction.created_at,
  };
}

/** The number of reactions of each kind, as in comments and issues. */
export function reactionCounts(reactions: Reaction[], url: string): Json {
  const counts = reactionContents.map((content) => [
    content,
    reactions.filter((reaction) => reaction.content === content).length,
  ]);
  return { url: `${url}/reactions`, total_count: reactions.length, ...Object.fromEntries(counts) };
}
