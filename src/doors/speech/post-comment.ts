import { LRUCache } from 'lru-cache';
import { asKept, sealedText, soundMark, textIn } from '../../github/marks.ts';
import type { Answers, Octokit } from '../../github/octokit/connect.ts';
import { newestPages } from '../../github/read/pagination.ts';
import { accountOf } from '../../github/read/repository-ref.ts';
import type { Seals } from '../../seal/seals.ts';
import type { Door } from '../../steering/shapes/people.ts';
import { lengthOf, maxBody } from '../../words/parts/sanitize.ts';
import { Problem } from '../problem.ts';

/** A comment that a person posts through a door of ours. */
interface Speech {
  /** Speaks with the person's own token. */
  readonly person: Octokit;
  readonly owner: string;
  readonly repo: string;
  /** The number of the issue or the pull request. */
  readonly number: number;
  readonly text: string;
  /** What the door seals it with; absent where there is no key, as in a terminal. */
  readonly sealing?: Sealing | undefined;
  /** Called before it is posted, but not if it has been posted before; what it throws keeps it from that. */
  readonly check?: (() => void) | undefined;
}

export interface Sealing {
  readonly seals: Seals;
  readonly door: Door;
  readonly repository_id: number;
  /** The id of the person who speaks. */
  readonly user_id: number;
  /** Whoever says the same again with the same key has said it once. */
  readonly key?: string | undefined;
}

export interface Posted {
  readonly comment_id: number;
  readonly html_url: string;
  /** When GitHub took it, as ISO 8601. */
  readonly created_at: string;
  /** The id of the event that it becomes, if it has a command. */
  readonly event: string;
  /** Whether it was there before. */
  readonly repeated: boolean;
}

/** The comment is longer than GitHub takes one. */
export class TooLong extends Problem {
  override name = 'TooLong';

  constructor(length: number) {
    super(413, `The comment would have ${length} characters, and GitHub takes at most ${maxBody}.`);
  }
}

/** The person has said something else with the same key. */
export class KeyReused extends Problem {
  override name = 'KeyReused';

  constructor() {
    super(422, 'This idempotency key was used for another text: give each comment a key of its own.');
  }
}

/**
 * Posts a comment as the person. Throws `TooLong`, or what GitHub refuses it with. With a key, whoever has
 * said the same here in the last day gets that comment; after something else, throws `KeyReused`.
 */
export async function post(speech: Speech): Promise<Posted> {
  const { sealing, number, text } = speech;
  if (sealing?.key === undefined) return (await create(speech)).posted;
  const { repository_id, user_id, key } = sealing;
  const id = JSON.stringify([repository_id, number, user_id, key]);
  const known = recent.get(id);
  const saying = known ?? earlier(speech, { ...sealing, key }).then((found) => found ?? create(speech));
  if (known === undefined) recent.set(id, saying);
  const said = await saying.catch((fault: unknown) => {
    recent.delete(id);
    throw fault;
  });
  if (asKept(said.text) !== asKept(text)) throw new KeyReused();
  return known === undefined ? said.posted : { ...said.posted, repeated: true };
}

interface Said {
  readonly text: string;
  readonly posted: Posted;
}

/** What this process is posting with a key, or has just posted: GitHub may not list that yet. */
const recent = new LRUCache<string, Promise<Said>>({ max: 1_000, ttl: 60_000 });

async function create({ person, owner, repo, number, text, sealing, check }: Speech): Promise<Said> {
  check?.();
  const body = sealing === undefined ? text : sealed(text, number, sealing);
  const length = lengthOf(body);
  if (length > maxBody) throw new TooLong(length);
  const { data } = await person.rest.issues.createComment({ owner, repo, issue_number: number, body });
  return { text, posted: postedOf(data, false) };
}

function sealed(text: string, number: number, { seals, door, key, ...there }: Sealing): string {
  const at = new Date().toISOString();
  return sealedText(text, { ...there, number }, { at, door, key }, seals);
}

const dayMs = 24 * 60 * 60 * 1000;

/** It looks at the newest 1,000 comments of a day. */
const maxPages = 10;

/** The comment that this person has posted here with this key in the last day. */
async function earlier(
  { person, owner, repo, number }: Speech,
  { seals, repository_id, user_id, key }: Sealing,
): Promise<Said | undefined> {
  const since = new Date(Date.now() - dayMs).toISOString();
  const wanted = { owner, repo, issue_number: number, since, per_page: 100 };
  const { listComments } = person.rest.issues;
  const { found } = await newestPages((page) => listComments({ ...wanted, page }), maxPages);
  const data = found.find(({ user, body = '', created_at }) => {
    const posted = { repository_id, number, user_id, body, created_at };
    return accountOf(user).id === user_id && soundMark(posted, seals)?.key === key;
  });
  return data && { text: textIn(data.body ?? ''), posted: postedOf(data, true) };
}

/** Describes a comment that GitHub has. */
export function postedOf(
  { id, html_url, created_at }: Answers['issues']['createComment']['response']['data'],
  repeated: boolean,
): Posted {
  return { comment_id: id, html_url, created_at, event: `comment:${id}@${created_at}`, repeated };
}
