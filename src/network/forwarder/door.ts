import { connect, createServer, type Socket } from 'node:net';
import { commandOf } from './client.ts';
import { refusalHeader, refusalPath } from './refusals.ts';

/**
 * Listens on a port of 127.0.0.1 and passes each connection to a Unix socket. Rejects if it cannot listen.
 */
export function openDoor(port: number, path: string): Promise<void> {
  // Without delay: programs wait for the last bytes of each message.
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => passOn(client, path));
  // With two descriptors for each, the usual limit of 1,024 for a process is not reached.
  server.maxConnections = 400;
  return new Promise((resolve, reject) => {
    server.once('error', ({ message }) =>
      reject(new Error(`could not open the way to the network: ${message}`)),
    );
    server.listen(port, '127.0.0.1', () => {
      server.removeAllListeners('error').on('error', () => undefined);
      // The program alone decides how long we live.
      server.unref();
      resolve();
    });
  });
}

function passOn(client: Socket, path: string): void {
  const egress = connect({ path, allowHalfOpen: true });
  for (const [one, other] of [
    [client, egress],
    [egress, client],
  ] as const) {
    one.on('error', () => other.destroy());
    one.once('close', () => one.readableEnded || other.destroy());
  }
  client.pipe(egress);
  egress.once('data', (first: Buffer) => {
    const refusal = numberOfRefusal(first);
    if (refusal === undefined) return begin(first);
    egress.pause();
    held = true;
    // Before the client reads the answer and ends.
    tell(refusal, { path, command: commandOf(client) }, () => begin(first));
  });
  // Nothing at all may come, or nothing more than what we still hold.
  let held = false;
  egress.once('end', () => held || client.end());
  const begin = (first: Buffer): void => {
    held = false;
    client.write(first);
    if (egress.readableEnded) client.end();
    else egress.pipe(client);
  };
}

/** What the egress calls a refusal, which is all that it says first on this connection. */
function numberOfRefusal(first: Buffer): string | undefined {
  if (first.length < 12 || first.toString('latin1', 9, 12) !== '403') return undefined;
  return refusalLine.exec(first.toString('latin1', 0, 2_000))?.[1];
}

const refusalLine = new RegExp(`\\r\\n${refusalHeader}: (\\d+)\\r\\n`, 'i');

const patienceMs = 1_000;

/** Tells the egress which command wanted the host. Whatever becomes of it, the client has its answer soon. */
function tell(refusal: string, known: { path: string; command: string | undefined }, done: () => void): void {
  if (known.command === undefined) return void done();
  const body = Buffer.from(known.command);
  const lines = [
    `POST ${refusalPath}${refusal} HTTP/1.1`,
    'host: egress',
    'connection: close',
    `content-length: ${body.length}`,
  ];
  const socket = connect({ path: known.path });
  socket.setTimeout(patienceMs, () => socket.destroy());
  socket.on('error', () => undefined);
  socket.once('close', done);
  socket.resume();
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  socket.write(body);
}
