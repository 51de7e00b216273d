/** A ledger commit's message: a sentence for people, and trailers that identify its event. */
export interface MessageParts {
  readonly subject: string;
  /** A paragraph about what was left out. */
  readonly note?: string;
  readonly event: string;
  readonly seq: number;
}

/** The complete commit message. */
export function messageOf({ subject, note, event, seq }: MessageParts): string {
  const paragraphs = [oneLine(subject, 200), ...(note ? [oneLine(note, 500)] : [])];
  const trailers = `Coxswain-Event: ${eventTrailer(event)}\nCoxswain-Seq: ${seq}\n`;
  return `${paragraphs.join('\n\n')}\n\n${trailers}`;
}

/** An event's id as written in the trailer; versions before 0.2 wrote ids so long that they were cut. */
export function eventTrailer(id: string): string {
  return oneLine(id, 1_000);
}

/** Reads the last trailers of a commit object, so that a subject cannot pretend to be one. */
export function trailersOf(commit: string): { event: string | undefined; seq: number | undefined } {
  const [, event, seq] = /\nCoxswain-Event: (.*)\nCoxswain-Seq: (\d+)\n*$/.exec(commit) ?? [];
  return { event, seq: seq === undefined ? undefined : Number(seq) };
}

/** Text from people and agents must not add trailers of its own with line breaks. */
function oneLine(text: string, max: number): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return line.length > max ? `${line.slice(0, max - 1)}…` : line;
}
