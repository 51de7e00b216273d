import type { IncomingMessage } from 'node:http';

/** The request is larger than we read; what is left of it is not read. */
export class TooLarge extends Error {
  override name = 'TooLarge';
}

/** The whole body. Throws `TooLarge` as soon as it is certain. */
export function readBytes(request: IncomingMessage, mostBytes: number): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > mostBytes) {
    return Promise.reject(new TooLarge(`${declared} bytes were announced, ${mostBytes} are read`));
  }
  // Events, as an iterator over the chunks costs a busy door a tenth of its time.
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= mostBytes) return void chunks.push(chunk);
      request.pause();
      reject(new TooLarge(`more than ${mostBytes} bytes came`));
    });
    request.on('end', () => resolve(Buffer.concat(chunks, bytes)));
    request.on('error', reject);
    request.on('close', () => {
      if (!request.complete) reject(new Error('the request was broken off'));
    });
  });
}

/** The same as text. */
export async function readBody(request: IncomingMessage, mostBytes: number): Promise<string> {
  return (await readBytes(request, mostBytes)).toString('utf8');
}
