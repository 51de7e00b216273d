import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EventsFeed } from '../../src/api/event-routes.ts';
import { Problem } from '../../src/doors/problem.ts';
import { ProgressBoard } from '../../src/repository/progress-board.ts';
import type { LiveRuns } from '../../src/runs/run/live-runs.ts';
import type { Run } from '../../src/runs/run/run.ts';
import { EventReader, type ServerEvent } from '../page/events.ts';

type FeedOptions = ConstructorParameters<typeof EventsFeed>[0];

interface Served {
  readonly run: Run;
  readonly liveRuns: LiveRuns;
  readonly limits?: FeedOptions['limits'];
}

/** The events of one run behind a server; people name themselves in a header. */
export async function serveEvents({ run, liveRuns, limits }: Served) {
  const progress = new ProgressBoard();
  const warnings: string[] = [];
  const log = { warn: (text: string) => void warnings.push(text) };
  const feed = new EventsFeed({ liveRuns, progress, log, ...(limits && { limits }) });
  const rights = { mayRead: async () => true };
  const server = createServer((request, response) => {
    const since = new URL(request.url ?? '', 'http://server').searchParams.get('since');
    try {
      feed.open(request, response, {
        run,
        person: String(request.headers['x-person'] ?? 'ada'),
        mayRead: () => rights.mayRead(),
        since: since === null ? undefined : Number(since),
      });
    } catch (fault) {
      if (!(fault instanceof Problem)) throw fault;
      response.writeHead(fault.status, fault.headers).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an address object.
  const { port } = server.address() as AddressInfo;
  const readers: Listener[] = [];
  const close = async (): Promise<void> => {
    for (const reader of readers) reader.close();
    await feed.close();
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  };
  const url = `http://127.0.0.1:${port}/`;
  return {
    ...{ feed, progress, rights, warnings, port, close },
    listen: async (query = '', headers: Readonly<Record<string, string>> = {}): Promise<Listener> => {
      const reader = new Listener(await EventReader.open(`${url}${query}`, headers));
      readers.push(reader);
      return reader;
    },
    refused: async (
      headers: Readonly<Record<string, string>> = {},
    ): Promise<{ readonly status: number; readonly retryAfter: string | null }> => {
      const { status, headers: said } = await fetch(url, { headers });
      return { status, retryAfter: said.get('retry-after') };
    },
  };
}

/** One that reads events until one of a kind comes. */
export class Listener {
  readonly #reader: EventReader;

  constructor(reader: EventReader) {
    this.#reader = reader;
  }

  /** All events up to the first of this name, or to the end of the stream. */
  async until(name: string): Promise<readonly ServerEvent[]> {
    const all: ServerEvent[] = [];
    for (;;) {
      const event = await this.#reader.next();
      if (event === undefined) return all;
      all.push(event);
      if (event.event === name) return all;
    }
  }

  next(): Promise<ServerEvent | undefined> {
    return this.#reader.next();
  }

  close(): void {
    this.#reader.close();
  }
}
