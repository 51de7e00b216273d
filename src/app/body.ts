import type { IncomingMessage } from 'node:http';

/** The request is larger than we read; what is left of it is not read. */
export class TooLarge extends Error {
  override name = 'TooLarge';
}

/** The whole body as text. Throws `TooLarge` as soon as it is certain. */
export async function readBody(request: IncomingMessage, mostBytes: number): Promise<string> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > mostBytes) throw new TooLarge(`${declared} bytes were announced, ${mostBytes} are read`);
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    // no encoding is set, so chunks are buffers
    bytes += chunk.length;
    if (bytes > mostBytes) throw new TooLarge(`more than ${mostBytes} bytes came`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
