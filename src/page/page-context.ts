import { personIn } from '../doors/callers/identity.ts';
import type { Readable } from '../doors/callers/visible-repositories.ts';
import { Problem } from '../doors/problem.ts';
import type { Html } from '../html/html.ts';
import type { ProgressBoard } from '../repository/progress-board.ts';
import type { Repository } from '../repository/repository.ts';
import type { LiveRuns } from '../runs/run/live-runs.ts';
import type { Person } from '../steering/shapes/people.ts';
import type { FormInput } from './forms/form-input.ts';
import type { Guide } from './guide.ts';
import type { InboxSources } from './inbox/load-inbox.ts';
import type { Cache } from './load/github-reader.ts';
import type { IssueRoute } from './load/page-routes.ts';
import type { Entrance } from './sign-in/entrance.ts';
import type { Visitor } from './sign-in/visitors.ts';

/** What the page is opened with. */
export interface PageOptions extends InboxSources {
  /** Who may come in. */
  readonly entrance: Entrance;
  /** The repository if the App is installed there. */
  readonly installed: (found: Readable['repository']) => Promise<Repository | undefined>;
  readonly liveRuns: LiveRuns;
  /** What the agents of this process are doing. */
  readonly progress: ProgressBoard;
  /** The address of the page, such as `http://127.0.0.1:3000`; called for each request. */
  origin(): string;
  /** Says what to try next, in a demonstration. */
  readonly guide?: Guide | undefined;
}

/** What somebody asks for beside the path. */
export interface RenderOptions {
  readonly query?: URLSearchParams;
  /** What the person is told above everything else. */
  readonly notice?: string;
  /** The form that was sent but not accepted. */
  readonly input?: FormInput | null;
  /** Whether it is for the page's script, which shows by itself what an agent does. */
  readonly scripted?: boolean;
}

/** What a page is rendered from. */
export interface RenderContext extends PageOptions {
  readonly visitor: Visitor;
  /** Keeps what was read from Git for whoever may see it. */
  readonly cache: Cache;
}

/** As which the person sees a repository. */
export interface InRepository extends RenderContext {
  readonly repository: Repository;
  /** As which the person speaks there. */
  readonly viewer: Person;
}

/** What is shown, and with which status. */
export interface Content {
  readonly status: number;
  readonly title: string;
  readonly main: Html;
  /** Where whoever asked for this page wants to be, if that is another by now. */
  readonly leadsTo?: IssueRoute | undefined;
}

/** Who a page says is speaking on it, and where they leave. */
export function speakingAs({ entrance: { wayOut } }: Pick<PageOptions, 'entrance'>, { caller }: Visitor) {
  return { login: caller.login, wayOut };
}

/** Throws where the person may not read the repository, or Coxswain is not installed there. */
export async function within(route: IssueRoute, context: RenderContext): Promise<InRepository> {
  const { identity, installed, visitor } = context;
  const readable = await identity.readable(visitor.caller, route.owner, route.repo);
  const repository = await installed(readable.repository);
  if (repository === undefined)
    throw new Problem(404, `Coxswain is not installed on ${route.owner}/${route.repo}.`);
  return { ...context, repository, viewer: personIn(visitor.caller, readable) };
}
