import type { Issue } from '../model.ts';
import { issueEventsOf } from '../operations/issue-events.ts';
import { nodeId } from '../payloads/links.ts';
import { actorNode } from './accounts.ts';
import { connection } from './connection.ts';
import type { TimelineArguments } from './timeline.ts';
import type { Viewer } from './viewer.ts';

/** The items of an issue's timeline, oldest first. The forge has only those about its title. */
export function issueTimelineConnection(viewer: Viewer, issue: Issue, wanted: TimelineArguments) {
  const { itemTypes, since, skip, ...page } = wanted;
  const isWanted = !itemTypes || itemTypes.includes('RENAMED_TITLE_EVENT');
  const nodes = issueEventsOf(viewer.context, issue)
    .filter(({ created_at }) => !since || Date.parse(created_at) >= Date.parse(since))
    .flatMap((event) => {
      if (event.event !== 'renamed' || !isWanted) return [];
      return [
        {
          __typename: 'RenamedTitleEvent',
          id: nodeId('IssueEvent', event.id),
          actor: actorNode(viewer.context, event.actor_id),
          createdAt: event.created_at,
          previousTitle: event.rename.from,
          currentTitle: event.rename.to,
        },
      ];
    })
    .slice(skip ?? 0);
  const shown = connection('timelineItems', nodes, page);
  const counts = { filteredCount: nodes.length, pageCount: shown.nodes.length };
  return { ...shown, ...counts, updatedAt: issue.updated_at };
}
