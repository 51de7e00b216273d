import type { Account } from '../events/github-event.ts';
import { saidThrough, textIn } from '../marks.ts';
import type { Answers, Octokit } from '../octokit/connect.ts';
import { unless } from '../octokit/fault.ts';
import type { Own } from '../own.ts';
import { accountOf, type RepositoryRef, repoParams } from './repository-ref.ts';

/** What people have written on an issue. */
export interface IssueConversation {
  readonly author: Account;
  /** The text of the issue as GitHub shows it. */
  readonly html: string;
  /** The newest comments of people, oldest first; bots' are left out. */
  readonly comments: readonly IssueComment[];
  /** Whether there are comments that were not read. */
  readonly has_earlier: boolean;
}

export interface IssueComment {
  readonly node_id: string;
  readonly author: Account;
  /** ISO 8601. */
  readonly at: string;
  /** Without the seal of a door. */
  readonly body: string;
  readonly html: string;
  /** The App that wrote it, by its name in URLs; undefined if none did, or a door of ours. */
  readonly via_app: string | undefined;
}

const perPage = 100;

/**
 * Reads an issue and its newest 100 to 200 comments, of however many; undefined if the issue is no longer in
 * this repository.
 */
export async function readIssueComments(
  octokit: Octokit,
  where: RepositoryRef & { readonly id: number; readonly own: Own },
  number: number,
): Promise<IssueConversation | undefined> {
  const issue = await issueOf(octokit, where, number);
  if (issue === undefined) return undefined;
  const last = Math.max(1, Math.ceil(issue.comments / perPage));
  const pages = [last - 1, last].filter((page) => page > 0);
  const asked = { ...repoParams(where), issue_number: number, per_page: perPage, mediaType };
  const found: CommentData[] = [];
  for (const page of pages) found.push(...(await octokit.rest.issues.listComments({ ...asked, page })).data);
  return {
    author: accountOf(issue.user),
    html: issue.body_html ?? '',
    comments: found.map((data) => commentFrom(data, where, number)).filter(({ author }) => !author.bot),
    has_earlier: last > pages.length,
  };
}

/** GitHub answers for an issue that was moved with the one in the other repository. */
async function issueOf(octokit: Octokit, where: RepositoryRef, number: number) {
  const asked = { ...repoParams(where), issue_number: number, mediaType };
  const data = (await unless(octokit.rest.issues.get(asked), 404, 410))?.data;
  const path = `/repos/${where.owner}/${where.name}`.toLowerCase();
  const isHere = data?.repository_url.toLowerCase().endsWith(path) && data.number === number;
  return isHere ? data : undefined;
}

/** As text and as HTML: only there are the addresses under which images can be read. */
const mediaType = { format: 'full' };

type CommentData = Answers['issues']['listComments']['response']['data'][number];

function commentFrom(
  { node_id, user, created_at, performed_via_github_app, ...text }: CommentData,
  { id: repository_id, own }: { readonly id: number; readonly own: Own },
  number: number,
): IssueComment {
  const { body = '', body_html: html = '' } = text;
  const author = accountOf(user);
  const there = { repository_id, number, user_id: author.id };
  const { via_app } = saidThrough({ ...there, body, created_at, via_app: performed_via_github_app }, own);
  return { node_id, author, at: created_at, body: textIn(body), html, via_app };
}

/** An image of a text, as GitHub shows it. */
interface ShownImage {
  /** Where it can be read for some minutes, without credentials. */
  readonly url: string;
  /** What its author calls it; may be empty. */
  readonly alt: string;
}

/**
 * The images that people attached to a text, from its HTML: only there are the addresses at which they can be
 * read. Those of other hosts are left out.
 */
export function attachedImages(html: string, apiUrl: string): readonly ShownImage[] {
  const tags = [...html.matchAll(/<img\b[^>]{1,8000}>/g)].map(([tag]) => tag);
  return tags.flatMap((tag) => {
    const url = attributeIn(tag, 'src');
    return isAttachment(url, apiUrl) ? [{ url, alt: attributeIn(tag, 'alt') }] : [];
  });
}

/** What names the file of an image in its address, and in the text of its author as well. */
export function fileOf({ url }: ShownImage): string {
  const { origin, pathname } = new URL(url);
  const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i.exec(pathname)?.[0];
  return uuid ?? `${origin}${pathname}`;
}

const timeoutMs = 10_000;
const maxBytes = 5 * 1024 * 1024;

/** Reads an image, base64; undefined if there is none that agents take, or not within these bounds. */
export async function readImage({ url }: ShownImage, signal: AbortSignal) {
  try {
    // Elsewhere it could lead into the network that we are in.
    const response = await fetch(url, {
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    const bytes = response.status === 200 ? await firstBytes(response) : undefined;
    if (bytes === undefined) await response.body?.cancel();
    const mime_type = bytes && typeOf(bytes);
    return bytes && mime_type ? { mime_type, data: bytes.toString('base64') } : undefined;
  } catch (fault) {
    // Of a fault of ours there is no such error.
    if (fault instanceof TypeError || fault instanceof DOMException) return undefined;
    throw fault;
  }
}

/** All of it; undefined if it is too large. */
async function firstBytes({ body }: Response): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** By its first bytes: whoever serves it may call it anything. */
function typeOf(bytes: Buffer): string | undefined {
  const start = bytes.toString('latin1', 0, 12);
  if (start.startsWith('\u0089PNG\r\n\u001a\n')) return 'image/png';
  if (start.startsWith('\u00ff\u00d8\u00ff')) return 'image/jpeg';
  if (/^GIF8[79]a/.test(start)) return 'image/gif';
  return /^RIFF[\s\S]{4}WEBP$/.test(start) ? 'image/webp' : undefined;
}

/** Where GitHub keeps files that people drop into texts. */
const hostsOfGitHub = ['private-user-images.githubusercontent.com', 'user-images.githubusercontent.com'];

/** An Enterprise Server keeps them itself. */
function isAttachment(url: string, apiUrl: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, origin, hostname } = new URL(url);
  const api = new URL(apiUrl);
  if (api.pathname.startsWith('/api/')) return origin === api.origin;
  return protocol === 'https:' && hostsOfGitHub.includes(hostname);
}

function attributeIn(tag: string, name: string): string {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? '';
  return value
    .replace(/&#(\d{1,6});/g, (whole, code: string) => character(Number(code)) ?? whole)
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}

function character(code: number): string | undefined {
  return code > 0 && code <= 0xffff ? String.fromCharCode(code) : undefined;
}
