import { shortened } from '../text/cut.ts';

/** A ledger commit's message: a sentence for people, and trailers that identify its event. */
export interface MessageParts {
  readonly subject: string;
  /** A paragraph about what was left out. */
  readonly note?: string;
  /** Set if the run has ended and all its effects are done, so that a sweep need not read it. */
  readonly settled?: true;
  readonly event: string;
  readonly seq: number;
}

/** The message up to the seal. */
export function textAbove({ subject, note, settled }: Omit<MessageParts, 'event' | 'seq'>): string {
  const paragraphs = [oneLine(subject, 250), ...(note ? [oneLine(note, 500)] : [])];
  return `${paragraphs.join('\n\n')}\n\n${settled ? `${settledTrailer}\n` : ''}`;
}

const settledTrailer = 'Coxswain-Owes: nothing';

/** The complete commit message; `seal` proves that the App wrote it. */
export function messageOf(parts: MessageParts, seal?: string): string {
  const sealed = seal === undefined ? '' : `Coxswain-Seal: ${seal}\n`;
  return `${textAbove(parts)}${sealed}Coxswain-Event: ${eventTrailer(parts.event)}\nCoxswain-Seq: ${parts.seq}\n`;
}

/** An event's id as written in the trailer; versions before 0.2 wrote ids so long that they were cut. */
export function eventTrailer(id: string): string {
  return oneLine(id, 1_000);
}

/** What a ledger commit's message says. */
export interface Trailers {
  readonly above: string;
  /** Whether it says that nothing is left to do for the run. */
  readonly settled: boolean;
  readonly seal: string | undefined;
  readonly event: string | undefined;
  readonly seq: number | undefined;
}

/** Reads the last trailers of a message, so that a subject cannot pretend to be one. */
export function trailersOf(message: string): Trailers {
  const last = /(?<=^|\n)Coxswain-Event: (.*)\nCoxswain-Seq: (\d+)\n*$/.exec(message);
  const rest = last === null ? message : message.slice(0, last.index);
  const sealed = /(?<=^|\n)Coxswain-Seal: (.*)\n$/.exec(rest);
  const seq = last?.[2];
  const above = sealed === null ? rest : rest.slice(0, sealed.index);
  return {
    above,
    settled: above.endsWith(`\n\n${settledTrailer}\n`),
    seal: sealed?.[1],
    event: last?.[1],
    seq: seq === undefined ? undefined : Number(seq),
  };
}

/** Text from people and agents must not add trailers of its own with line breaks. */
function oneLine(text: string, max: number): string {
  return shortened(text.replace(/[\s\p{Cc}]+/gu, ' ').trim(), max);
}
