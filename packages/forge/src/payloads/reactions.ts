import type { Reaction } from '../model.ts';
import type { Json, Site } from '../site.ts';
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

export function reactionPayload(site: Site, reaction: Reaction): Json {
  return {
    id: reaction.id,
    node_id: nodeId('Reaction', reaction.id),
    user: accountById(site, reaction.user_id),
    content: reaction.content,
    created_at: reaction.created_at,
  };
}

/** How many of each, as comments and issues carry it. */
export function reactionCounts(reactions: Reaction[], url: string): Json {
  const counts = reactionContents.map((content) => [
    content,
    reactions.filter((reaction) => reaction.content === content).length,
  ]);
  return { url: `${url}/reactions`, total_count: reactions.length, ...Object.fromEntries(counts) };
}
