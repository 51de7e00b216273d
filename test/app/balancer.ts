import { once } from 'node:events';
import { createServer } from 'node:http';

/** Passes each webhook to one of the Apps in turn, or to the next one that takes it. */
export interface Balancer {
  close(): void;
}

export async function startBalancer(port: number, targets: readonly string[]): Promise<Balancer> {
  let turn = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    turn += 1;
    const inTurn = targets.map((_, index) => targets[(turn + index) % targets.length] ?? '');
    for (const target of inTurn) {
      const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
      const init = {
        method: 'POST',
        headers: headers as Record<string, string>,
        body: Buffer.concat(chunks),
      };
      const answer = await fetch(`${target}${request.url}`, init).catch(() => undefined);
      if (answer === undefined) continue; // it is down
      response.writeHead(answer.status).end(await answer.text());
      return;
    }
    response.writeHead(502).end();
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
