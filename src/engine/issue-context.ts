import { setTimeout } from 'node:timers/promises';
import type { IssueContext } from '../agent/index.ts';
import type { Speaker } from '../agent/port/assignment.ts';
import { parseCommand } from '../github/markdown/command-parser.ts';
import type { Log } from '../github/octokit/connect.ts';
import { editsOf, otherEditor } from '../github/read/edits.ts';
import {
  attachedImages,
  fileOf,
  type IssueComment,
  type IssueConversation,
  readImage,
  readIssueComments,
} from '../github/read/issue-comments.ts';
import { roleOf } from '../github/read/roles.ts';
import { messageOf } from '../repository/faults.ts';
import type { Repository } from '../repository/repository.ts';
import { maySpeak } from '../steering/approval/authorization.ts';
import { type Account, covers, type Role } from '../steering/shapes/people.ts';
import type { Settings } from '../steering/shapes/settings.ts';
import type { State } from '../steering/state/state.ts';

/** As many comments of people who may speak, and as many people whose role is asked. */
const maxComments = 20;
const maxPeople = 30;

/** Work does not wait longer for what it can do without. */
const patienceMs = 60_000;

/**
 * What people who work on the repository have said on the issue of a run, with their roles as they are now.
 * Undefined for a run without an issue. What cannot be read is left out, and said.
 */
export async function issueContextOf(
  state: State,
  repository: Repository,
  log: Pick<Log, 'warn'>,
  signal: AbortSignal,
): Promise<IssueContext | undefined> {
  const { issue, id } = state.run;
  if (issue === null) return undefined;
  const over = new AbortController();
  const ending = AbortSignal.any([signal, over.signal]);
  const reading = read(state, issue, repository, ending);
  try {
    const late = setTimeout(patienceMs, 'late' as const, { signal: ending });
    const found = await Promise.race([reading, late]);
    if (found !== 'late') return found;
    return without(issue, 'GitHub took too long');
  } catch (fault) {
    if (signal.aborted) return without(issue, 'the attempt ends');
    log.warn(`could not read what was said on issue ${issue} for ${id}: ${messageOf(fault)}`);
    return without(issue, 'GitHub could not be asked');
  } finally {
    over.abort();
    reading.catch(() => undefined); // it is no longer waited for
  }
}

function without(issue: number, why: string): IssueContext {
  const notice = `The agent was not told what people said on issue #${issue}: ${why}.`;
  return { issue, author: null, comments: [], has_earlier: false, images: [], images_left_out: 0, notice };
}

async function read(
  { settings, task: { description: task } }: State,
  issue: number,
  repository: Repository,
  signal: AbortSignal,
): Promise<IssueContext> {
  const conversation = await readIssueComments(repository.octokit, repository, issue);
  if (conversation === undefined) return without(issue, 'it is no longer there');
  const roles = new Roles(repository);
  const author = await roles.speaking(conversation.author);
  const said = await spokenOn(conversation, repository, roles, settings);
  const has_earlier = conversation.has_earlier || said.has_more;
  const comments = said.comments.map(({ author: by, at, body }) => ({ author: by, at, body }));
  const texts = said.comments.map(({ author: { login: by }, html }) => ({ by, html }));
  const { baseUrl: apiUrl } = repository.octokit.request.endpoint.DEFAULTS;
  const images = takesImages(settings.agent)
    ? await imagesOf({ by: author.login, html: conversation.html }, texts, { task, apiUrl, signal })
    : { images: [], images_left_out: 0 };
  return { issue, author, comments, has_earlier, ...images };
}

/** Whether it may be able to; an agent of the protocol says so when it starts. */
function takesImages({ use }: Settings['agent']): boolean {
  return use !== 'command' && use !== 'scripted';
}

/** The newest comments that count, oldest first. */
async function spokenOn(
  { comments }: IssueConversation,
  repository: Repository,
  roles: Roles,
  settings: Settings,
) {
  const found: (Omit<IssueComment, 'author'> & { readonly author: Speaker })[] = [];
  let has_more = false;
  for (const comment of comments.toReversed()) {
    if (comment.body.trim() === '' || parseCommand(comment.body) !== undefined) continue;
    if (comment.via_app !== undefined && !maySpeak(settings.approval, comment.via_app)) continue;
    has_more = found.length === maxComments || roles.isExhausted;
    if (has_more) break;
    const author = await roles.speaking(comment.author);
    if (covers(author.role, 'triage')) found.unshift({ ...comment, author });
  }
  const edits = await editsOf(
    repository.octokit,
    found.map(({ node_id }) => node_id),
  );
  // What somebody else has put into a comment are not the words of whoever's name stands above them.
  const own = found.filter(({ node_id, author }) => otherEditor(edits.get(node_id), author) === undefined);
  return { comments: own, has_more };
}

/** People's roles, each asked once. */
class Roles {
  readonly #repository: Repository;
  readonly #known = new Map<number, Role>();

  constructor(repository: Repository) {
    this.#repository = repository;
  }

  get isExhausted(): boolean {
    return this.#known.size >= maxPeople;
  }

  async speaking({ login, id, bot }: IssueComment['author']): Promise<Speaker> {
    const role = bot || id === 0 ? 'none' : (this.#known.get(id) ?? (await this.#ask({ login, id })));
    return { login, id, role };
  }

  async #ask(account: Account): Promise<Role> {
    const { role } = await roleOf(this.#repository.octokit, this.#repository, account);
    this.#known.set(account.id, role);
    return role;
  }
}

/** A text that may have images. */
interface WithImages {
  readonly html: string;
  readonly by: string;
}

const maxImages = 8;

/**
 * Reads the images of an issue, then those of its comments, and counts those that are left out. An image that
 * came into the issue later is not in the text of the task as the run has it.
 */
async function imagesOf(
  issue: WithImages,
  comments: readonly WithImages[],
  { task, apiUrl, signal }: { readonly task: string; readonly apiUrl: string; readonly signal: AbortSignal },
): Promise<Pick<IssueContext, 'images' | 'images_left_out'>> {
  const shownIn = ({ html, by }: WithImages) => attachedImages(html, apiUrl).map((shown) => ({ shown, by }));
  const ofTask = shownIn(issue).filter(({ shown }) => task.includes(fileOf(shown)));
  const all = [...ofTask, ...comments.flatMap(shownIn)];
  const images: IssueContext['images'][number][] = [];
  for (const { shown, by } of all.slice(0, maxImages)) {
    const image = await readImage(shown, signal);
    if (image !== undefined) images.push({ image, alt: shown.alt, by });
  }
  return { images, images_left_out: all.length - images.length };
}
