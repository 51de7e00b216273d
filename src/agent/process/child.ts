import type { Writable } from 'node:stream';
import { type ProcessEnd, type ProcessOptions, runProcessGroup } from '../../process/process-group.ts';
import { killMarked, newMark, registerChild, withMark } from './child-registry.ts';
import { type Environment, searchPath } from './program-environment.ts';

interface ChildRequest extends Pick<ProcessOptions, 'cwd' | 'input' | 'timeoutMs'> {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Takes the place of `input`; standard output is then not kept. */
  readonly talk?: Talk;
  /** How much of each stream is kept, from its end. */
  readonly keepBytes?: number;
  readonly onOutput?: (text: string) => void;
  /** Called with the id of the child, which leads its group. */
  readonly onStart?: (leader: number) => void;
  /** The child is registered below this folder while it runs. */
  readonly workRoot: string;
}

/** A conversation with a program over its standard input and output. */
export interface Talk {
  onStdin(stdin: Writable): void;
  /** Receives what it says as it arrives. */
  onStdout(chunk: Buffer): void;
}

export type ProcessResult = End & {
  readonly stdout: string;
  readonly stderr: string;
  /** Whether the beginning of a stream was dropped. */
  readonly cut: boolean;
  readonly durationMs: number;
};

type End =
  | Extract<ProcessEnd, { end: 'exited' | 'signalled' | 'timed_out' | 'cancelled' }>
  | { readonly end: 'not_started'; readonly message: string }
  /** It was stopped because it used too much of the machine: of what, in part of a sentence. */
  | { readonly end: 'exceeded'; readonly what: string };

export const mebibyte = 1024 * 1024;

/** Runs one program in its own process group, registered while it runs; keeps the end of its output. */
export async function runChild(request: ChildRequest, signal: AbortSignal): Promise<ProcessResult> {
  const { argv, workRoot, keepBytes = mebibyte, onOutput, onStart, talk, ...options } = request;
  const began = performance.now();
  const stdout = new Tail(keepBytes);
  const stderr = new Tail(keepBytes);
  const mark = newMark();
  let unregister = (): void => undefined;
  const end = await runProcessGroup(argv, {
    ...options,
    env: withMark(options.env, mark),
    signal,
    onStart: (leader) => {
      unregister = registerChild(leader, mark, workRoot);
      onStart?.(leader);
    },
    ...(talk && { onStdin: talk.onStdin }),
    onStdout: talk?.onStdout ?? into(stdout, onOutput),
    onStderr: into(stderr, onOutput),
  });
  if (end.end !== 'exited') killMarked(mark);
  unregister();
  const durationMs = performance.now() - began;
  const cut = stdout.cut || stderr.cut;
  return { ...withMessage(end), stdout: stdout.text(), stderr: stderr.text(), cut, durationMs };
}

function into(tail: Tail, onOutput: ChildRequest['onOutput']): ProcessOptions['onStdout'] {
  const decoder = new TextDecoder();
  return (chunk) => {
    tail.add(chunk);
    onOutput?.(decoder.decode(chunk, { stream: true }));
  };
}

function withMessage(end: ProcessEnd): End {
  if (end.end === 'not_started') return { end: 'not_started', message: end.cause.message };
  if (end.end === 'output_refused') throw end.cause;
  return end;
}

/** Keeps the last `limit` bytes of a stream, however long it is. */
export class Tail {
  readonly #limit: number;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #cut = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > 2 * this.#limit) this.#shorten();
  }

  /** Whether the beginning was dropped. */
  get cut(): boolean {
    return this.#cut || this.#bytes > this.#limit;
  }

  text(): string {
    if (this.#bytes > this.#limit) this.#shorten();
    const text = Buffer.concat(this.#chunks).toString('utf8');
    return this.#cut ? fromLineStart(text) : text;
  }

  #shorten(): void {
    const kept = Buffer.concat(this.#chunks).subarray(-this.#limit);
    // A copy: a view would keep the whole buffer in memory.
    this.#chunks = [Buffer.from(kept)];
    this.#bytes = kept.length;
    this.#cut = true;
  }
}

/** Drops a partial first line: it could contain part of a secret, which redaction would not recognize. */
function fromLineStart(text: string): string {
  const lineEnd = text.indexOf('\n');
  return lineEnd >= 0 && lineEnd < 4096 ? text.slice(lineEnd + 1) : text;
}

/**
 * Runs a program of the machine itself, with these variables besides the usual ones. `said` is its output, or
 * why it could not be started.
 */
export async function runTool(
  argv: readonly string[],
  { timeoutMs, env }: { readonly timeoutMs: number; readonly env?: Environment },
) {
  const output: Buffer[] = [];
  const keep = (chunk: Buffer) => void output.push(chunk);
  const end = await runProcessGroup(argv, {
    cwd: '/',
    env: { PATH: searchPath(), LANG: 'C.UTF-8', ...env },
    timeoutMs,
    onStdout: keep,
    onStderr: keep,
  });
  return {
    end: end.end,
    succeeded: end.end === 'exited' && end.exitCode === 0,
    how: `ended with ${end.end === 'exited' ? `exit code ${end.exitCode}` : end.end}`,
    said: end.end === 'not_started' ? end.cause.message : Buffer.concat(output).toString().trim(),
  };
}

/** A program and its arguments as a line of shell; what is passed to a shell is itself the line. */
export function lineOf(words: readonly string[]): string {
  const [program = '', option = '', line] = words;
  const isShell = /(?:^|\/)(?:ba|z|da|k)?sh$/.test(program) && /^-[a-z]*c$/.test(option);
  return isShell && line !== undefined && words.length === 3 ? line : words.map(shellWord).join(' ');
}

/** A word as an argument of a line of shell. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
