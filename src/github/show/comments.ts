import { cut } from '../words/index.ts';
import { lengthOf, mostBody } from './block.ts';
import { type Place, repositoryOf } from './place.ts';

/** Our comments on the pull request, each found again by its marker, so that none is written twice. */
export interface Comments {
  /** Writes the comment unless it is there already. */
  once(mark: Mark, text: () => Promise<string>): Promise<void>;
  /** Writes the comment, or makes the one that is there say this. */
  say(mark: Mark, text: string): Promise<void>;
  /** Changes the comment if there is one. */
  change(mark: Mark, change: (text: string) => string): Promise<void>;
  /** What we remember may be outdated: look again before the next comment. */
  forget(): void;
}

export interface Mark {
  readonly kind: 'ask' | 'reply';
  readonly id: string;
}

interface Written {
  readonly id: number;
  readonly body: string;
}

/** More comments than this have never been seen on one pull request; a marker beyond them is not found. */
const mostPages = 50;

/** `since` bounds what is read: nothing of a run is older than the run. */
export function commentsOn(place: Place, since: string): Comments {
  const at = { ...repositoryOf(place), issue_number: place.run.number };
  const issues = place.octokit.rest.issues;
  let known: Promise<Map<string, Written>> | undefined;
  const written = (): Promise<Map<string, Written>> => {
    known ??= readOwn(place, since);
    return known;
  };
  const forget = (): void => {
    known = undefined;
  };
  const create = async (mark: Mark, text: string): Promise<void> => {
    const { data } = await issues.createComment({ ...at, body: bodyOf(mark, text) });
    (await written()).set(markerOf(mark), { id: data.id, body: bodyOf(mark, text) });
  };
  const edit = async (mark: Mark, { id, body }: Written, text: string): Promise<void> => {
    const wanted = bodyOf(mark, text);
    if (wanted === body) return;
    await issues.updateComment({ ...repositoryOf(place), comment_id: id, body: wanted });
    (await written()).set(markerOf(mark), { id, body: wanted });
  };
  const look = async (mark: Mark): Promise<Written | undefined> => (await written()).get(markerOf(mark));
  return {
    once: (mark, text) =>
      forgetting(forget, async () => {
        if ((await look(mark)) === undefined) await create(mark, await text());
      }),
    say: (mark, text) =>
      forgetting(forget, async () => {
        const there = await look(mark);
        await (there === undefined ? create(mark, text) : edit(mark, there, text));
      }),
    change: (mark, change) =>
      forgetting(forget, async () => {
        const there = await look(mark);
        if (there !== undefined) await edit(mark, there, change(textOf(mark, there.body)));
      }),
    forget,
  };
}

/** After a failure nobody knows whether GitHub took it: the next try looks before it writes. */
async function forgetting(forget: () => void, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    forget();
    throw error;
  }
}

/** A marker in somebody else's comment is only text. */
async function readOwn(place: Place, since: string): Promise<Map<string, Written>> {
  const { octokit, run, own } = place;
  const at = { ...repositoryOf(place), issue_number: run.number, since, per_page: 100 };
  const found = new Map<string, Written>();
  let pages = 0;
  for await (const { data } of octokit.paginate.iterator(octokit.rest.issues.listComments, at)) {
    for (const { id, user, body = '' } of data) {
      const marker = lastMarker(body);
      const ours = user?.login.toLowerCase() === own.login.toLowerCase();
      if (ours && marker !== undefined && !found.has(marker)) found.set(marker, { id, body });
    }
    pages += 1;
    if (pages >= mostPages) break;
  }
  return found;
}

function markerOf({ kind, id }: Mark): string {
  return `<!-- coxswain:${kind} ${id.replace(/[<>\s]/g, '_')} -->`;
}

function lastMarker(body: string): string | undefined {
  return /<!-- coxswain:(?:ask|reply) \S+ -->(?=\s*$)/.exec(body)?.[0];
}

function bodyOf(mark: Mark, text: string): string {
  const ending = `\n\n${markerOf(mark)}`;
  return cut(text, mostBody - lengthOf(ending)) + ending;
}

function textOf(mark: Mark, body: string): string {
  return body.slice(0, body.lastIndexOf(markerOf(mark))).trimEnd();
}
