/** A ledger commit's message: a sentence for people, and trailers that identify its event. */
export interface MessageParts {
  readonly subject: string;
  /** A paragraph about what was left out. */
  readonly note?: string;
  readonly event: string;
  readonly seq: number;
}

/** The message up to its trailers. */
export function textAbove({ subject, note }: Pick<MessageParts, 'subject' | 'note'>): string {
  const paragraphs = [oneLine(subject, 200), ...(note ? [oneLine(note, 500)] : [])];
  return `${paragraphs.join('\n\n')}\n\n`;
}

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
  return {
    above: sealed === null ? rest : rest.slice(0, sealed.index),
    seal: sealed?.[1],
    event: last?.[1],
    seq: seq === undefined ? undefined : Number(seq),
  };
}

/** Text from people and agents must not add trailers of its own with line breaks. */
function oneLine(text: string, max: number): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return line.length > max ? `${line.slice(0, max - 1)}…` : line;
}
