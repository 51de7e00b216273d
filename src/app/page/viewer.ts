import type { LiveRuns } from '../../runs/live-runs.ts';
import type { Repository } from '../../runs/repository.ts';
import { type Html, html } from './html.ts';
import type { PageOptions } from './page.ts';
import { type Place, pathOf, type ThreadPlace } from './place.ts';
import { had } from './reading/had.ts';
import { readOverview } from './reading/overview.ts';
import { createReader, type Reader } from './reading/reader.ts';
import { readRun } from './reading/run.ts';
import { createShelf, type Shelf } from './reading/shelf.ts';
import { readConversation, readIssue } from './reading/thread.ts';
import { Refusal, refusalOf } from './refusal.ts';
import type { Typed } from './views/composer.ts';
import { issueMain } from './views/issue.ts';
import type { View } from './views/layout.ts';
import { overviewMain } from './views/overview.ts';
import { runMain } from './views/run.ts';

/** Reads what a place needs and draws it. */
export interface Viewer {
  view(place: Place, queryCommands: QueryCommand): Promise<{ readonly status: number; readonly view: View }>;
  /** Throws `Refusal` when no such repository is shown here. */
  repositoryOf(place: ThreadPlace): Promise<Repository>;
  /** Something was written there: read it anew. */
  forget(place: ThreadPlace): void;
}

export interface QueryCommand {
  readonly query?: URLSearchParams;
  /** What somebody is told above everything else. */
  readonly notice?: string;
  /** What they had typed. */
  readonly typed?: Typed | null;
}

interface Desk {
  readonly reader: Reader;
  readonly shelf: Shelf;
  readonly liveRuns: LiveRuns;
  repositories(): Promise<readonly Repository[]>;
}

const repositoriesFreshMs = 2000;
/** Diffs and histories that stay at hand. */
const mostKept = 100;

export function createViewer({ person, repositories, liveRuns }: PageOptions): Viewer {
  const shelf = createShelf({ most: mostKept });
  const desk: Desk = {
    reader: createReader(person),
    shelf,
    liveRuns,
    repositories: () => shelf.get('repositories', repositoriesFreshMs, () => repositories()),
  };
  return {
    view: async (place, queryCommands) => {
      const [drawn, login] = await Promise.all([draw(place, queryCommands, desk), loginOf(desk)]);
      const { status, title, main } = drawn;
      const { notice } = queryCommands;
      const note = notice !== undefined && html`<p class="notice problem" role="alert">${notice}</p>`;
      return { status, view: { title, person: login, main: html`${note}${main}` } };
    },
    repositoryOf: (place) => repositoryOf(place, desk),
    forget: (place) => desk.reader.forget(place),
  };
}

interface Drawn {
  readonly status: number;
  readonly title: string;
  readonly main: Html;
}

/** What cannot be read at all is a page that says so. */
async function draw(place: Place, queryCommands: QueryCommand, desk: Desk): Promise<Drawn> {
  try {
    return await drawPlace(place, queryCommands, desk);
  } catch (fault) {
    const { status, message } = refusalOf(fault, `${pathOf(place)} cannot be shown`);
    const title = status === 404 ? 'Not found' : 'Unavailable';
    return {
      status,
      title,
      main: html`<h1>${title}</h1><div class="card"><p>${message}</p><p><a href="/">All runs</a></p></div>`,
    };
  }
}

async function drawPlace(place: Place, { query, typed = null }: QueryCommand, desk: Desk): Promise<Drawn> {
  if (place.at === 'overview') return drawOverview(desk);
  const repository = await repositoryOf(place, desk);
  if (place.at === 'issues') return drawIssue(place, typed, desk);
  const side_by_side = query?.get('diff') === 'split';
  const full = query?.get('full') === '1';
  const liveRun = desk.liveRuns.of(repository, place.number);
  const run = await readRun(place, { reader: desk.reader, shelf: desk.shelf, liveRun, full });
  const main = runMain({ run, side_by_side, full, typed });
  return { status: 200, title: `${run.pull.title} #${place.number} · Coxswain`, main };
}

async function drawOverview(desk: Desk): Promise<Drawn> {
  const repositories = await had('The list of repositories', desk.repositories());
  const overview =
    'missing' in repositories ? repositories : { had: await readOverview(repositories.had, desk) };
  return { status: 200, title: 'Runs · Coxswain', main: overviewMain(overview) };
}

async function drawIssue(place: ThreadPlace, typed: Typed | null, desk: Desk): Promise<Drawn> {
  const issue = await readIssue(desk.reader, place);
  const conversation = await had('The conversation', readConversation(desk.reader, place));
  const main = issueMain({ place, issue, conversation, typed });
  return { status: 200, title: `${issue.title} #${place.number} · Coxswain`, main };
}

async function repositoryOf({ owner, repo }: ThreadPlace, { repositories }: Desk): Promise<Repository> {
  const name = `${owner}/${repo}`.toLowerCase();
  const known = (await repositories()).find((one) => `${one.owner}/${one.name}`.toLowerCase() === name);
  if (known === undefined) throw new Refusal(404, `Coxswain is not installed on ${owner}/${repo}.`);
  return known;
}

const loginFreshMs = 60_000;

/** Null when GitHub does not say: then the page does not either. */
async function loginOf({ reader, shelf }: Desk): Promise<string | null> {
  const read = () => reader.get('GET /user', {}).then(({ data }) => data.login);
  const login = await had('Your name', shelf.get('login', loginFreshMs, read));
  return 'had' in login ? login.had : null;
}
