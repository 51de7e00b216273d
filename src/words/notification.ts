import type { Announcement } from '../steering/interactions/announcements.ts';
import type { State } from '../steering/state.ts';
import { pullLink } from './phrases.ts';

/** PLACEHOLDER until the senders land. */
export function notificationText(announcement: Announcement, state: State, web: string) {
  return { title: `${announcement.run}: ${announcement.event}`, lines: [], url: pullLink(web, state) };
}
