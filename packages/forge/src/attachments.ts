import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import type { Context } from './context.ts';
import type { Attachment } from './model.ts';
import type { ForgeResponse } from './requests.ts';

/** Signed addresses last that long on GitHub, too. */
const validForMs = 5 * 60_000;

/** Uploads a file as people do who drop it into a text; returns the address that the text then has. */
export function addAttachment(context: Context, type: string, content: Uint8Array): string {
  const attachment: Attachment = {
    id: randomUUID(),
    type,
    content: Buffer.from(content).toString('base64'),
    secret: randomBytes(16).toString('hex'),
  };
  context.store.data.attachments.push(attachment);
  return `${context.url}${publicPath}${attachment.id}`;
}

const publicPath = '/user-attachments/assets/';
const signedPath = '/private-user-images/';

/** The address under which a file can be read for a while without a session; undefined if it is not ours. */
export function signedUrl(context: Context, url: string): string | undefined {
  const prefix = `${context.url}${publicPath}`;
  const attachment = url.startsWith(prefix) ? attachmentWith(context, url.slice(prefix.length)) : undefined;
  if (attachment === undefined) return undefined;
  const until = String(context.now().getTime() + validForMs);
  return `${context.url}${signedPath}${attachment.id}?jwt=${until}.${macOf(attachment, until)}`;
}

/** Serves a file at its signed address, and nothing at the one that texts have: that needs a session. */
export function attachmentAt(context: Context, { pathname, searchParams }: URL): ForgeResponse | undefined {
  if (!pathname.startsWith(signedPath)) return undefined;
  const attachment = attachmentWith(context, pathname.slice(signedPath.length));
  const [until = '', mac = ''] = (searchParams.get('jwt') ?? '').split('.');
  if (attachment === undefined || mac !== macOf(attachment, until)) return undefined;
  if (Number(until) < context.now().getTime()) return undefined;
  const body = Buffer.from(attachment.content, 'base64');
  return { status: 200, headers: { 'content-type': attachment.type }, body };
}

/** The file of an address that texts have. */
export function attachmentWith({ store }: Context, id: string): Attachment | undefined {
  return store.data.attachments.find((each) => each.id === id);
}

function macOf({ id, secret }: Attachment, until: string): string {
  return createHmac('sha256', secret).update(`${id} ${until}`).digest('hex');
}
