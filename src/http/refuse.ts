import type { IncomingMessage, ServerResponse } from 'node:http';

/** How much of a refused body is read, and for how long: enough for most clients to see the answer. */
const maxDrainedBytes = 1024 * 1024;
const maxDrainedPieces = 256;
const maxDrainMs = 1000;

/**
 * Answers before the body was read, and closes the connection. Whoever is still sending would not see the
 * answer if it were closed at once, so a little is read and thrown away first.
 */
export function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  { status, message, headers = {} }: Refusal,
): void {
  if (response.headersSent) return;
  const text = JSON.stringify({ message });
  const length = Buffer.byteLength(text);
  const own = { 'content-type': 'application/json', 'content-length': length, connection: 'close' };
  response.writeHead(status, { ...own, ...headers });
  // The answer is complete with its last byte; ending it would close the connection.
  response.write(text);
  drain(request, () => response.end());
}

interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function drain(request: IncomingMessage, onDone: () => void): void {
  let bytes = 0;
  let pieces = 0;
  const timer = setTimeout(done, maxDrainMs);
  function done(): void {
    clearTimeout(timer);
    request.removeAllListeners('data');
    request.pause();
    onDone();
  }
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    pieces += 1;
    if (bytes > maxDrainedBytes || pieces > maxDrainedPieces) done();
  });
  request.once('end', done);
  request.once('close', done);
  request.resume();
}
