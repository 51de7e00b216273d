import type { Caller } from '../../doors/callers/identity.ts';
import type { Readable } from '../../doors/callers/visible-repositories.ts';
import { listRuns } from '../../doors/lists/list-runs.ts';
import { type Html, html } from '../../html/html.ts';
import { type CommandName, commandNames } from '../../steering/commands/index.ts';
import { loaded } from '../load/github-reader.ts';
import { type IssueRoute, pathOf } from '../load/page-routes.ts';
import type { Visitor } from '../sign-in/visitors.ts';
import { type InboxQuery, inboxPath, inboxQuery } from './inbox-query.ts';
import { type InboxSources, isFor, matches, viewerWith, type Waiting } from './load-inbox.ts';

/** Where somebody goes on who has settled a run: to the next one of their inbox, or back to that. */
export async function nextPath(
  { caller }: Visitor,
  here: IssueRoute & { readonly from: string; readonly repository_id: number },
  { said, sources }: { readonly said: CommandName; readonly sources: InboxSources },
): Promise<string> {
  const { query } = inboxQuery(new URLSearchParams(here.from));
  const next = await nextInInbox(query, here, caller, sources);
  const note = `${said} ${here.owner}/${here.repo}#${here.number}`;
  const { from } = here;
  if (next === undefined) return `/?${new URLSearchParams([...new URLSearchParams(from), ['said', note]])}`;
  return pathTo(next, { from, said: note });
}

/**
 * Above a run that was opened from an inbox: the way back, and on to the next run without a decision on this
 * one.
 */
export async function inboxTrail(
  { caller }: Visitor,
  here: IssueRoute & { readonly from: string; readonly repository_id: number },
  sources: InboxSources,
): Promise<Html> {
  const { query } = inboxQuery(new URLSearchParams(here.from));
  const next = await loaded('The next run', nextInInbox(query, here, caller, sources));
  const onward =
    'value' in next && html` · <a href="${pathTo(next.value, { from: here.from })}">Next run</a>`;
  return html`<p class="crumbs"><a href="${inboxPath(query)}" data-back>Back to the inbox</a>${onward}</p>`;
}

function pathTo({ owner, repo, number }: Waiting, query: Record<string, string>): string {
  return `${pathOf({ page: 'pull', owner, repo, number })}?${new URLSearchParams(query)}`;
}

/** What was said of the run before, which may still be on its way. */
export function saidNote(query: URLSearchParams | undefined): Html | false {
  const [, name, owner = '', repo = '', number] =
    /^([a-z]+) ([\w-]+)\/([\w.-]+)#(\d{1,10})$/.exec(query?.get('said') ?? '') ?? [];
  if (!commandNames.some((known) => known === name)) return false;
  const path = pathOf({ page: 'pull', owner, repo, number: Number(number) });
  return html`<p class="notice" role="status">Posted <code>/${name}</code> on <a href="${path}">${owner}/${repo}#${number}</a>.</p>`;
}

/** The run that comes after another one in somebody's inbox; undefined if it is the last. */
async function nextInInbox(
  query: InboxQuery,
  after: { readonly repository_id: number; readonly number: number },
  caller: Caller,
  sources: InboxSources,
): Promise<Waiting | undefined> {
  const { identity, index } = sources;
  const viewer = await viewerWith(caller, sources);
  const isHere = ({ repository_id, number }: Waiting) =>
    repository_id === after.repository_id && number === after.number;
  const all = index.waiting().filter((each) => matches(each, query) || isHere(each));
  const at = all.findIndex(isHere);
  const accepts = (listed: Waiting, readable: Readable) =>
    query.for === 'anyone' || isFor(listed, viewer(readable));
  // After the last one comes the first, for whoever leaves some out until later.
  const inOrder = [...all.slice(at + 1), ...all.slice(0, Math.max(at, 0))];
  const { runs } = await listRuns(identity, caller, inOrder, { limit: 1, accepts });
  return runs[0];
}
