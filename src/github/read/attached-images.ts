/** An image of a text, as GitHub shows it. */
export interface ShownImage {
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
