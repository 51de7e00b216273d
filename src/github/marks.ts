import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Seals } from '../seal/seals.ts';
import { type Door, doors } from '../steering/shapes/people.ts';
import { isOurApp, type Own } from './own.ts';

/** A comment, as far as its seal is about it. */
interface SaidThere {
  readonly repository_id: number;
  /** Of the issue or the pull request. */
  readonly number: number;
  /** The author's id. */
  readonly user_id: number;
}

/** What a door of ours says of a comment that a person posts through it. */
interface SaidMark {
  /** When the person said it, ISO 8601. */
  readonly at: string;
  readonly door: Door;
  /** By which somebody who says the same again tells that it is the same. */
  readonly key?: string | undefined;
}

const mark = z.object({
  at: z.iso.datetime(),
  door: z.enum(doors),
  key: z.string().optional(),
  seal: z.string(),
});

const firstLine = /^<!-- coxswain:said ([^\r\n]*) -->(?:\r?\n){1,2}/;

/** The comment of a person with our seal in front, which nobody sees and which is no part of the text. */
export function sealedText(text: string, there: SaidThere, said: SaidMark, seals: Seals): string {
  const { at, door, key } = said;
  const data = JSON.stringify({ at, key, door, seal: seals.seal(sealedOf(text, there, said)) });
  // Two hyphens could end the comment that the seal is in.
  return `<!-- coxswain:said ${data.replaceAll('--', '-\\u002d')} -->\n\n${text}`;
}

/** The text of a comment without the seal of a door in front of it, whatever that is worth. */
export function textIn(body: string): string {
  return body.replace(firstLine, '');
}

/** Such a comment posted at this time, ISO 8601, by GitHub's clock. */
interface PostedBody extends SaidThere {
  readonly body: string;
  readonly created_at: string;
}

/**
 * What a door of ours says of a comment. Undefined if it says nothing, or if the seal is not ours or of
 * something else: another place, author, time or text.
 */
export function soundMark({ body, created_at, ...there }: PostedBody, seals: Seals): SaidMark | undefined {
  const read = mark.safeParse(dataIn(body)).data;
  if (read === undefined || !isPromptly(read.at, created_at)) return undefined;
  const { seal, ...said } = read;
  return seals.check(sealedOf(textIn(body), there, said), seal).seal === 'sound' ? said : undefined;
}

/** A comment as GitHub has it, with the App through which it was written, if it was. */
export interface WrittenBody extends PostedBody {
  readonly via_app: Parameters<typeof isOurApp>[0] | null | undefined;
}

/**
 * Through what its author has said something: a door, or an App, by its slug. Whoever has a token of our App
 * for a person can write with it, so that what comes through it counts only with the seal of a door. That of
 * the API proves nothing then: it seals for whoever presents the token.
 */
export function saidThrough(
  { via_app, ...posted }: WrittenBody,
  own: Own,
): { readonly door?: Door; readonly via_app?: string } {
  const isOthers = via_app && !isOurApp(via_app, own);
  const door = isOthers || own.seals === undefined ? undefined : soundMark(posted, own.seals)?.door;
  if (door !== undefined && !(via_app && door === 'api')) return { door };
  return via_app ? { via_app: via_app.slug ?? '' } : {};
}

function dataIn(body: string): unknown {
  try {
    return JSON.parse(firstLine.exec(body)?.[1] ?? '');
  } catch {
    return undefined; // Whatever stands there, it is not by a door.
  }
}

function sealedOf(text: string, { repository_id, number, user_id }: SaidThere, said: SaidMark) {
  const digest = textSha256(asKept(text));
  const place = [repository_id, number, user_id].map(String);
  return { label: 'said', parts: [...place, digest, said.at, said.key ?? '', said.door] } as const;
}

/** A text without what GitHub may change in it: line ends, and what is blank at the end. */
export function asKept(text: string): string {
  return text.replaceAll('\r\n', '\n').trimEnd();
}

/** A door posts at once, so that a seal cannot be kept for later; our clock may be a little wrong. */
const promptlyMs = 5 * 60_000;

function isPromptly(at: string, created_at: string): boolean {
  return Math.abs(Date.parse(created_at) - Date.parse(at)) <= promptlyMs;
}

/** Binds an event to the text at the time: SHA-256 of its UTF-8, in hexadecimal. */
export function textSha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/**
 * Why a check run of ours took back what permitted merging. Only we can write our check runs, so it holds for
 * every process, whatever is done to the ledger or to what was said.
 */
export interface Withheld {
  /** The ledger was lost, so that earlier approvals are void. */
  readonly lost: boolean;
  /** Something could not be recorded that may take an approval back. */
  readonly unrecorded: boolean;
}

/** A line in the text of a check run that nobody sees. */
export function withheldMark({ lost, unrecorded }: Withheld): string {
  return `<!-- coxswain:withheld${lost ? ' lost' : ''}${unrecorded ? ' unrecorded' : ''} -->`;
}

/** Reads the text of a check run of ours; undefined if it withheld nothing. */
export function withheldIn(text: string | null | undefined): Withheld | undefined {
  const mark = /<!-- coxswain:withheld( lost)?( unrecorded)? -->\s*$/.exec(text ?? '');
  return mark === null ? undefined : { lost: mark[1] !== undefined, unrecorded: mark[2] !== undefined };
}

/**
 * The ledger commit from which a check run was drawn, in a line that nobody sees. Only we can write our
 * check runs, so a ledger that has not reached this number was deleted or reset.
 */
export function seqMark(seq: number, commit: string): string {
  return `<!-- coxswain:seq ${seq} ${commit} -->`;
}

/**
 * Reads it from a check run's text; undefined if that has none. Older versions wrote a digest behind it.
 */
export function tipIn(text: string | null | undefined): LedgerTip | undefined {
  const mark = /<!-- coxswain:seq (\d{1,9}) ([0-9a-f]*)(?: [0-9a-f]{64})? -->\s*$/.exec(text ?? '');
  return mark === null ? undefined : { seq: Number(mark[1]), commit: mark[2] ?? '' };
}

export function seqIn(text: string | null | undefined): number | undefined {
  return tipIn(text)?.seq;
}

/** How far a ledger is known to have come: its newest commit and that commit's number. */
export interface LedgerTip {
  readonly seq: number;
  readonly commit: string;
}

/** A check run's text, followed by how far the ledger had come, which people do not see. */
export function withSeq(text: string, { seq, commit }: LedgerTip): string {
  const line = seqMark(seq, commit);
  return text === '' ? line : `${text}\n\n${line}`;
}

/** The text as people see it. */
export function withoutSeq(text: string): string {
  return seqIn(text) === undefined ? text : text.slice(0, text.lastIndexOf('<!--')).trimEnd();
}
