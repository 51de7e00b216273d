import { isSurelyBefore } from '../../steering/shapes/time.ts';
import { redact } from '../../text/redact.ts';
import { cut } from '../../words/index.ts';
import { lengthOf, maxBody } from '../../words/parts/sanitize.ts';
import type { Comment } from '../events/github-event.ts';
import type { Octokit } from '../octokit/connect.ts';
import { isFinalRefusal, unless } from '../octokit/fault.ts';
import { lastOfAll } from '../octokit/request-hooks.ts';
import { type RepositoryRef, repoParams } from '../read/repository-ref.ts';
import { type CommentTarget, hasOthers, repoParamsOf } from './pull-target.ts';

export interface Mark {
  readonly kind: 'ask' | 'reply';
  readonly id: string;
}

type KnownComment = Pick<Comment, 'id' | 'node_id' | 'body' | 'created_at'>;

/** A limit on how many comments are read; markers beyond it are not found. */
const maxPages = 50;

/** Longer than it takes another process to look for a comment and then post it. */
const recentMs = 120_000;

/** A comment of ours, and what it says. */
interface Posted {
  readonly marks: readonly Mark[];
  readonly comment: KnownComment;
}

/** A comment to post exactly once. */
export interface NewComment {
  readonly mark: Mark;
  readonly text: string;
}

/** How to post a comment: `last`, after all other writes. */
type Posting = { readonly last?: boolean };

/** Our comments on an issue or a pull request, identified by their markers, so that none is posted twice. */
export class Comments {
  readonly #target: CommentTarget;
  readonly #since: string;
  #known: Promise<Map<string, KnownComment>> | undefined;
  /** What was posted lately, when no other process was known of. */
  #unchecked: readonly Posted[] = [];

  /** `since` limits what is read: no comment of a run is older than the run. */
  constructor(target: CommentTarget, since: string) {
    this.#target = target;
    this.#since = since;
  }

  /** Posts the comment unless it exists. */
  create(mark: Mark, text: () => Promise<string>, posting: Posting = {}): Promise<void> {
    return this.#forgettingOnFailure(async () => {
      if (!(await this.has(mark))) await this.#post([mark], await text(), posting);
    });
  }

  /** Posts several texts in one comment; those already posted are left out. */
  createTogether(comments: readonly NewComment[], posting: Posting = {}): Promise<void> {
    return this.#forgettingOnFailure(async () => {
      const written = await this.#written();
      const missing = comments.filter(({ mark }) => !written.has(markerOf(mark)));
      const texts = [...new Set(missing.map(({ text }) => text))];
      const marks = missing.map(({ mark }) => mark);
      if (marks.length > 0) await this.#post(marks, texts.join('\n\n---\n\n'), posting);
    });
  }

  /** The comment, if it exists; someone may have edited it. */
  async find(mark: Mark): Promise<KnownComment | undefined> {
    return (await this.#written()).get(markerOf(mark));
  }

  /** Whether the comment exists. */
  async has(mark: Mark): Promise<boolean> {
    return (await this.find(mark)) !== undefined;
  }

  /** Whether something was replied to what has this id, at this time (ISO 8601) or later. */
  async hasReplied(id: string, since: string): Promise<boolean> {
    const [marker = ''] = markerOf({ kind: 'reply', id }).split(' -->');
    const isAbout = (other: string) => other.startsWith(`${marker} `) || other.startsWith(`${marker}@`);
    return [...(await this.#written())].some(
      ([other, { created_at }]) => isAbout(other) && !isSurelyBefore(created_at, since),
    );
  }

  /** How many comments are ours. */
  async count(): Promise<number> {
    return new Set((await this.#written()).values()).size;
  }

  /** Posts the comment, or updates the existing one. */
  createOrUpdate(mark: Mark, text: string): Promise<void> {
    return this.#forgettingOnFailure(async () => {
      const there = await this.find(mark);
      await (there === undefined ? this.#post([mark], text) : this.#edit(mark, there, text));
    });
  }

  /** Changes the comment if it exists. */
  update(mark: Mark, change: (text: string) => string): Promise<void> {
    return this.#forgettingOnFailure(async () => {
      const there = await this.find(mark);
      if (there !== undefined) await this.#edit(mark, there, change(textOf(mark, there.body)));
    });
  }

  /** As soon as another process is known of, deletes what it has posted before us. */
  yieldToOthers(): Promise<void> {
    return this.#forgettingOnFailure(async () => {
      if (!hasOthers(this.#target)) return;
      for (const posted of this.#unchecked) {
        await this.#settle(posted).catch((fault: unknown) => {
          // What GitHub does not let us delete stays.
          if (!isFinalRefusal(fault)) throw fault;
        });
        this.#unchecked = this.#unchecked.filter((other) => other !== posted);
      }
    });
  }

  /** The cache may be outdated: read again before the next comment. */
  forget(): void {
    this.#known = undefined;
  }

  #written(): Promise<Map<string, KnownComment>> {
    this.#known ??= readOwn(this.#target, this.#since);
    return this.#known;
  }

  async #post(marks: readonly Mark[], text: string, { last = false }: Posting = {}): Promise<void> {
    const body = this.#bodyOf(marks, text);
    const { octokit, run } = this.#target;
    const at = { ...repoParamsOf(this.#target), issue_number: run.number, ...(last && lastOfAll) };
    const { data } = await octokit.rest.issues.createComment({ ...at, body });
    const posted = { marks, comment: { ...data, body } };
    const written = await this.#written();
    for (const mark of marks) written.set(markerOf(mark), posted.comment);
    if (hasOthers(this.#target)) return this.#settle(posted);
    const recently = Date.parse(data.created_at) - recentMs;
    this.#unchecked = [
      ...this.#unchecked.filter(({ comment }) => Date.parse(comment.created_at) >= recently),
      posted,
    ];
  }

  /** Two processes can work on one run: if others have posted all of it before us, ours is deleted. */
  async #settle({ marks, comment: ours }: Posted): Promise<void> {
    const recently = new Date(Date.parse(ours.created_at) - recentMs).toISOString();
    const found = await readOwn(this.#target, recently);
    if (marks.some((mark) => (found.get(markerOf(mark))?.id ?? ours.id) >= ours.id)) return;
    await this.#delete(ours);
    const written = await this.#written();
    for (const mark of marks) written.set(markerOf(mark), found.get(markerOf(mark)) ?? ours);
  }

  async #delete({ id }: KnownComment): Promise<void> {
    const at = { ...repoParamsOf(this.#target), comment_id: id };
    // 404: the response to an earlier try was lost, or a person was faster.
    await unless(this.#target.octokit.rest.issues.deleteComment(at), 404);
  }

  async #edit(mark: Mark, there: KnownComment, text: string): Promise<void> {
    const { id, body } = there;
    const wanted = this.#bodyOf([mark], text);
    if (wanted === body) return;
    const at = { ...repoParamsOf(this.#target), comment_id: id };
    await this.#target.octokit.rest.issues.updateComment({ ...at, body: wanted });
    (await this.#written()).set(markerOf(mark), { ...there, body: wanted });
  }

  #bodyOf(marks: readonly Mark[], text: string): string {
    const ending = `\n\n${marks.map(markerOf).join('\n')}`;
    return cut(redact(text, this.#target.secrets), maxBody - lengthOf(ending)) + ending;
  }

  /** After a failure it is unknown whether GitHub accepted the write, so the next try reads first. */
  async #forgettingOnFailure(write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      this.forget();
      throw error;
    }
  }
}

/** Markers in other people's comments are only text. */
async function readOwn(target: CommentTarget, since: string): Promise<Map<string, KnownComment>> {
  const { octokit, run, own } = target;
  const at = { ...repoParamsOf(target), issue_number: run.number, since, per_page: 100 };
  const found = new Map<string, KnownComment>();
  let pages = 0;
  for await (const { data } of octokit.paginate.iterator(octokit.rest.issues.listComments, at)) {
    for (const { id, node_id, created_at, user, body = '' } of data) {
      if (user?.login.toLowerCase() !== own.login.toLowerCase()) continue;
      const written = { id, node_id, created_at, body };
      for (const marker of markersIn(body)) if (!found.has(marker)) found.set(marker, written);
    }
    pages += 1;
    if (pages >= maxPages) break;
  }
  return found;
}

function markerOf({ kind, id }: Mark): string {
  return `<!-- coxswain:${kind} ${id.replace(/[<>\s]/g, '_')} -->`;
}

/** The markers at the end of a comment; anywhere else they are only text. */
function markersIn(body: string): readonly string[] {
  const [ending = ''] = /(?:<!-- coxswain:(?:ask|reply) \S+ -->\s*)+$/.exec(body) ?? [];
  return ending.match(/<!-- coxswain:(?:ask|reply) \S+ -->/g) ?? [];
}

function textOf(mark: Mark, body: string): string {
  return body.slice(0, body.lastIndexOf(markerOf(mark))).trimEnd();
}

/** The reactions we use: received, accepted, refused. */
interface Reaction {
  readonly comment_id: number;
  readonly content: 'eyes' | 'rocket' | 'confused';
  /** It comes after all other writes. */
  readonly last?: boolean | undefined;
}

/**
 * Reacts to a comment on an issue or a pull request; false if the comment no longer exists. GitHub keeps one
 * reaction of each kind per account, so repeating it changes nothing. Throws `GitHubFault`.
 */
export async function react(
  octokit: Octokit,
  repository: RepositoryRef,
  { comment_id, content, last = false }: Reaction,
): Promise<boolean> {
  const reaction = { ...repoParams(repository), comment_id, content, ...(last && lastOfAll) };
  return (await unless(octokit.rest.reactions.createForIssueComment(reaction), 404)) !== undefined;
}
