import type { Context } from '../context.ts';
import type { Activity } from '../model.ts';
import { activitiesOf } from '../operations/activity.ts';
import { cursorPage } from '../pagination.ts';
import { activityPayload } from '../payloads/activity.ts';
import { needs } from '../permissions.ts';
import { HttpError } from '../responses.ts';
import { type Route, repositoryRoute } from '../router.ts';

export const activityRoutes: Route[] = [
  /** Newest first, unless `direction=asc`. */
  repositoryRoute('GET /activity', needs('read', { contents: 'read' }), (request) => {
    const { context, repository, query } = request;
    const direction = wordIn(query, 'direction', ['asc', 'desc']);
    const found = activitiesOf(context, repository).filter((one) => isAsked(context, one, query));
    return cursorPage(request, direction === 'asc' ? found.reverse() : found, (activity) =>
      activityPayload(context, activity),
    );
  }),
];

const types = ['push', 'force_push', 'branch_creation', 'branch_deletion', 'pr_merge', 'merge_queue_merge'];

const dayMs = 24 * 60 * 60 * 1000;
const periods: Readonly<Record<string, number>> = { day: 1, week: 7, month: 30, quarter: 90, year: 365 };

function isAsked(context: Context, activity: Activity, query: URLSearchParams): boolean {
  const ref = query.get('ref');
  const type = wordIn(query, 'activity_type', types);
  const period = wordIn(query, 'time_period', Object.keys(periods));
  const ageMs = context.now().getTime() - Date.parse(activity.timestamp);
  return (
    (ref === null || activity.ref === (ref.startsWith('refs/') ? ref : `refs/heads/${ref}`)) &&
    (type === null || activity.activity_type === type) &&
    (period === null || ageMs <= (periods[period] ?? 0) * dayMs) &&
    isByActor(context, activity, query.get('actor'))
  );
}

function isByActor({ store }: Context, { actor_id }: Activity, login: string | null): boolean {
  if (login === null) return true;
  return actor_id !== null && store.account(actor_id).login.toLowerCase() === login.toLowerCase();
}

function wordIn(query: URLSearchParams, name: string, words: readonly string[]): string | null {
  const word = query.get(name);
  if (word === null || words.includes(word)) return word;
  throw new HttpError(
    422,
    `Invalid request.\n\nInvalid input: \`${word}\` is not a possible value for "${name}".` +
      ` Must be one of the following: ${words.join(', ')}.`,
  );
}
