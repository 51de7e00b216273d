import type { IncomingMessage } from 'node:http';
import { composed, heardText, plainText, Unsayable } from '../../doors/speech/compose-comment.ts';
import { TooLong } from '../../doors/speech/post-comment.ts';
import { GitHubFault } from '../../github/octokit/fault.ts';
import { readBody, TooLarge } from '../../http/incoming-request.ts';
import { messageOf } from '../../repository/faults.ts';
import type { Command } from '../../steering/commands/index.ts';
import { shortened } from '../../text/characters.ts';
import { statusOf } from '../load/github-reader.ts';
import type { Resembled } from './resembled-command.ts';

/** The content of a form; shown again if it was not accepted, so that it is not lost. */
export interface FormInput {
  /** Which command the button says, without its slash; empty for a plain comment. */
  readonly command: string;
  readonly text: string;
  /** The question that an answer is for. */
  readonly about?: string;
  /** The commit that was shown, which an approval is for; absent with a stage. */
  readonly sha?: string;
  /** The failed verifiers that an approval overrides. */
  readonly despite?: readonly string[];
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
  const optional = ['about', 'sha', 'say', 'asked_about'] as const;
  const given = optional.flatMap((name) => {
    const value = fields.get(name);
    return value === null ? [] : [[name, plainText(value)]];
  });
  return {
    command: fields.get('command') ?? '',
    text: plainText(fields.get('text') ?? ''),
    despite: fields.getAll('despite'),
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

/** Makes the comment that a form posts: exactly the command of its fields, or a plain text as it stands. */
export function commentIn(input: FormInput): string {
  const { command, text, say } = input;
  if (say === undefined && command !== '') return composed(commandIn(input));
  const plain = say ?? text;
  if (plain.trim() === '') throw new HttpError(400, 'The comment is empty: write something first.');
  return plain;
}

/** What a form says, by the command of its button: no text in a field can make it another one. */
function commandIn({ command: type, text: written, about, sha, despite = [] }: FormInput): Command {
  const text = heardText(written);
  switch (type) {
    case 'steer':
      return { type, prompt: required(type, text), now: false };
    case 'run':
      return { type, task: text };
    case 'approve':
      return { type, sha: sha ?? null, despite };
    case 'answer':
      return { type, text: required(type, text), ...(about !== undefined && { question: about }) };
    case 'dismiss':
      return { type, concern: text, reason: '' };
    case 'reject':
      return { type, reason: required(type, text) };
    case 'deny':
      return { type, reason: text };
    case 'allow':
      return { type, scope: 'once' };
    case 'cancel':
    case 'resume':
    case 'retry':
    case 'verify':
      return { type };
    default:
      throw new HttpError(400, `There is no form for /${shortened(type, 40)}.`);
  }
}

function required(command: string, text: string): string {
  if (text === '') throw new HttpError(400, `/${command} needs text: write it first.`);
  return text;
}

/** A request is rejected with this HTTP status, and a sentence for the person who sent it. */
export class HttpError extends Error {
  override name = 'HttpError';
  readonly status: number;

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

/** Passes GitHub's refusal on with its message; if GitHub fails or cannot be reached, the status is 502. */
export function httpErrorFrom(fault: unknown, what: string): HttpError {
  if (fault instanceof HttpError) return fault;
  if (fault instanceof Unsayable) return new HttpError(422, fault.message, { cause: fault });
  if (fault instanceof TooLong) return new HttpError(413, fault.message, { cause: fault });
  const status = statusOf(fault);
  const reason = fault instanceof GitHubFault ? fault.reason : messageOf(fault);
  const passedOn = [403, 404, 410, 422].includes(status) ? status : 502;
  const ending = status === 0 ? `: ${reason}` : `: GitHub answered ${status}, ${reason}`;
  return new HttpError(passedOn, `${what}${ending}`, { cause: fault });
}
