import type { IssueEvent } from '../../model.ts';
import { labelTag, person, time } from '../components.ts';
import { type Html, html, joined } from '../html.ts';
import type { RepositoryVisit } from '../visit.ts';

export type LabelEvent = IssueEvent & { event: 'labeled' | 'unlabeled' };

export function isLabelEvent(event: IssueEvent): event is LabelEvent {
  return event.event === 'labeled' || event.event === 'unlabeled';
}

const togetherMs = 60_000;

/** Whether two events are told as one: somebody changed labels, and went on changing labels. */
export function belongTogether(one: LabelEvent, next: LabelEvent): boolean {
  const between = Date.parse(next.created_at) - Date.parse(one.created_at);
  return one.actor_id === next.actor_id && between <= togetherMs;
}

/** All labels that somebody added and removed at one time, in one line. */
export function labelLine({ context }: RepositoryVisit, events: LabelEvent[]): Html {
  const [first] = events;
  if (!first) return html``;
  const part = (kind: LabelEvent['event'], verb: string) => {
    const labels = events.filter(({ event }) => event === kind).map(({ label }) => labelTag(label));
    const noun = labels.length === 1 ? 'label' : 'labels';
    return labels.length === 0 ? [] : [html`${verb} the ${noun} ${joined(labels, ' ')}`];
  };
  const parts = [...part('labeled', 'added'), ...part('unlabeled', 'removed')];
  return html`<p class="event" id="event-${first.id}">${person(context, first.actor_id)} ${joined(parts, ' and ')} ${time(first.created_at)}</p>`;
}
