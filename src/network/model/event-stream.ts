/** Where the data of server-sent events go. */
export interface EventSink {
  /** Bytes of the data of an event. */
  data(bytes: Uint8Array): void;
  /** An event is complete. */
  end(): void;
}

const [newline, carriage, space] = [...Buffer.from('\n\r ')];
const field = Buffer.from('data:');

/** Reads server-sent events as they arrive, and keeps nothing of them. */
export function eventStream(sink: EventSink): { write(bytes: Uint8Array): void } {
  /** How much of the line is the beginning of `data:`; -1 if it is another line, past its length if it is one. */
  let matched = 0;
  let isEmptyLine = true;
  let isAfterCarriage = false;

  const endLine = () => {
    if (isEmptyLine) sink.end();
    [matched, isEmptyLine] = [0, true];
  };
  /** Within the line, from `at` on; returns where it ends. */
  const line = (bytes: Uint8Array, at: number): number => {
    const end = endOfLine(bytes, at);
    let from = at;
    if (from < end) isEmptyLine = false;
    while (from < end && matched >= 0 && matched < field.length) {
      matched = bytes[from] === field[matched] ? matched + 1 : -1;
      from++;
    }
    if (matched === field.length && from < end) {
      if (bytes[from] === space) from++;
      matched++;
    }
    if (matched > field.length && from < end) sink.data(bytes.subarray(from, end));
    return end;
  };
  return {
    write(bytes) {
      for (let at = 0; at < bytes.length; at++) {
        const isPair = isAfterCarriage && bytes[at] === newline;
        isAfterCarriage = false;
        if (isPair) continue;
        at = line(bytes, at);
        if (at === bytes.length) return;
        isAfterCarriage = bytes[at] === carriage;
        endLine();
      }
    },
  };
}

function endOfLine(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    if (bytes[at] === newline || bytes[at] === carriage) return at;
  }
  return bytes.length;
}
