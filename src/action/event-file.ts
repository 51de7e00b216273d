import { existsSync, readFileSync } from 'node:fs';

/** The payload of an event: what GitHub sends to webhooks, too. */
export type Payload = Readonly<Record<string, unknown>>;

/**
 * Reads the file that GitHub's runner writes for each event; empty if there is none. Throws a message that
 * names the file.
 */
export function readEventFile(path: string | undefined): Payload {
  if (!path || !existsSync(path)) return {};
  const refuse = (why: string, cause?: unknown) =>
    new Error(`could not read the event in ${path} (GITHUB_EVENT_PATH): ${why}; run the job again`, {
      cause,
    });
  const text = contentOf(path, refuse);
  if (text.trim() === '') throw refuse('it is empty');
  const payload = parsed(text, refuse);
  if (isObject(payload)) return payload;
  throw refuse('it holds no object');
}

type Refuse = (why: string, cause?: unknown) => Error;

function contentOf(path: string, refuse: Refuse): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw refuse('it cannot be opened', cause);
  }
}

/** As strict as the toolkit, which reads the same file: with a byte order mark it is no JSON. */
function parsed(text: string, refuse: Refuse): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw refuse('it is not JSON', cause);
  }
}

function isObject(value: unknown): value is Payload {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
