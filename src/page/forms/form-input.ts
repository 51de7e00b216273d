import type { IncomingMessage } from 'node:http';
import { Problem, problemFrom } from '../../doors/problem.ts';
import { composed, heardText, plainText } from '../../doors/speech/compose-comment.ts';
import type { Log } from '../../github/octokit/connect.ts';
import { readBody, TooLarge } from '../../http/incoming-request.ts';
import { messageOf } from '../../repository/faults.ts';
import type { Command } from '../../steering/commands/index.ts';
import { shortened } from '../../text/characters.ts';
import { type Remarking, remarkingIn, remarksText } from '../diff/remarks.ts';
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
  /** What is said of lines of the changes, as parts of one steer. */
  readonly remarking?: Remarking;
}

const maxBytes = 1024 * 1024;

export function formInput(fields: URLSearchParams): FormInput {
  const optional = ['about', 'sha', 'say', 'asked_about'] as const;
  const given = optional.flatMap((name) => {
    const value = fields.get(name);
    return value === null ? [] : [[name, plainText(value)]];
  });
  const remarking = remarkingIn(fields);
  if (remarking === undefined && fields.has('shown'))
    throw new Problem(400, 'These remarks are not as this page sends them, so nothing was posted.');
  return {
    ...(remarking && { remarking }),
    command: fields.get('command') ?? '',
    text: plainText(fields.get('text') ?? ''),
    despite: fields.getAll('despite'),
    ...Object.fromEntries(given),
  };
}

/** Throws `Problem` if the body is too large or not a form. */
export async function readFields(request: IncomingMessage): Promise<URLSearchParams> {
  const type = request.headers['content-type']?.split(';', 1)[0];
  if (type !== 'application/x-www-form-urlencoded') {
    throw new Problem(415, `Expected a form, but received ${type ?? 'no content type'}.`);
  }
  const body = await readBody(request, maxBytes).catch((cause: unknown) => {
    if (!(cause instanceof TooLarge)) throw cause;
    throw new Problem(413, 'The comment is too large: the limit is 1 MiB.');
  });
  return new URLSearchParams(body);
}

/** Makes the comment that a form posts: exactly the command of its fields, or a plain text as it stands. */
export function commentIn(input: FormInput): string {
  const { command, text, say } = input;
  if (say === undefined && command !== '') return composed(commandIn(input));
  const plain = say ?? text;
  if (plain.trim() === '') throw new Problem(400, 'The comment is empty: write something first.');
  return plain;
}

/** What a form says, by the command of its button: no text in a field can make it another one. */
function commandIn({
  command: type,
  text: written,
  about,
  sha,
  despite = [],
  remarking,
}: FormInput): Command {
  const text = heardText(remarking === undefined ? written : remarksText(remarking));
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
      throw new Problem(400, `There is no form for /${shortened(type, 40)}.`);
  }
}

function required(command: string, text: string): string {
  if (text === '') throw new Problem(400, `/${command} needs text: write it first.`);
  return text;
}

/**
 * What a fault comes to for the person; `what` says what could not be done. Of what fails on our side only the
 * log tells more, for that may name folders, and what only the App may see.
 */
export function pageProblem(fault: unknown, what: string, log: Pick<Log, 'warn'>): Problem {
  if (fault instanceof Problem) return fault;
  const { status, message } = problemFrom(fault);
  if (status === 500) log.warn(`${what}: ${messageOf(fault)}`);
  // Programs ask only for runs, and are told that; people also come for issues.
  const why = status === 404 ? 'GitHub has no such page, or you may not see it.' : message;
  return new Problem(status, `${what}: ${why}`);
}
