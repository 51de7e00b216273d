import type { IncomingMessage } from 'node:http';
import { readBody, TooLarge } from '../http/body.ts';
import { HttpError } from './http-error.ts';
import type { Resembled } from './resembled-command.ts';

/** The content of a form; shown again if it was not accepted, so that it is not lost. */
export interface FormInput {
  /** The command of the button, without its slash; empty for a plain comment. */
  readonly command: string;
  readonly text: string;
  /** What the command is about, which it names before its text; absent if it is about the run. */
  readonly about?: string;
  /** What to say in place of the text: the command that it was asked about. */
  readonly say?: string;
  /** The text that was asked about before: whoever sends it again means it. */
  readonly asked_about?: string;
  /** What a steer is asked about when it is shown again. */
  readonly resembled?: Resembled;
  /** The command that was posted, while the other words stay as they are. */
  readonly posted?: string;
}

const maxBytes = 1024 * 1024;

export function formInput(fields: URLSearchParams): FormInput {
  const optional = ['about', 'say', 'asked_about'] as const;
  const given = optional.flatMap((name) => {
    const value = fields.get(name);
    return value === null ? [] : [[name, plainText(value)]];
  });
  return {
    command: fields.get('command') ?? '',
    text: plainText(fields.get('text') ?? ''),
    ...Object.fromEntries(given),
  };
}

/** Throws `HttpError` if the body is too large or not a form. */
export async function readFields(request: IncomingMessage): Promise<URLSearchParams> {
  const type = request.headers['content-type']?.split(';', 1)[0];
  if (type !== 'application/x-www-form-urlencoded') {
    throw new HttpError(415, `Expected a form, but received ${type ?? 'no content type'}.`);
  }
  const body = await readBody(request, maxBytes).catch((cause: unknown) => {
    if (!(cause instanceof TooLarge)) throw cause;
    throw new HttpError(413, 'The comment is too large: the limit is 1 MiB.', { cause });
  });
  return new URLSearchParams(body);
}

/** What GitHub might leave out, such as NUL, could hide a command from whoever looks for one in a form. */
export function plainText(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/[^\P{Cc}\n\t]/gu, '');
}
