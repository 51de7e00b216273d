import type { RefChange } from './plumbing.ts';

/** Why a ref was rejected: the short reason next to it, and the message above. */
export interface RefRejection {
  reason: string;
  text: string;
}

/** The commands of a push, which precede its pack. */
export function commandsIn(body: Buffer): RefChange[] {
  const head = packetsUntilFlush(body);
  return (head?.packets ?? [])
    .map((line) => /^([0-9a-f]{40}) ([0-9a-f]{40}) ([^\0\n]+)/.exec(line.toString('utf8')))
    .filter((match) => match !== null)
    .map(([, before = '', after = '', ref = '']) => ({ ref, before, after }));
}

const finding = /^forge-refusal (\S+) (force|workflow|unsigned) ?(.*)$/;

/**
 * Git's report on a push: which refs moved, and the response with GitHub's reasons in it.
 * Reads the report of receive-pack and replaces Git's "hook declined" with GitHub's messages.
 * The hook prints its findings as lines on the second band, which are removed there.
 */
export function readReport(
  response: Buffer,
  rejectionFor: (
    ref: string,
    found: { kind: string; detail: string } | undefined,
  ) => RefRejection | undefined,
): { moved: Set<string>; response: Buffer } {
  const outer = packetsUntilFlush(response);
  if (!outer) return { moved: new Set(), response };
  const bands = bandsIn(outer.packets);
  const findings = new Map<string, { kind: string; detail: string }>();
  const progress = bands.progress.filter((line) => {
    const match = finding.exec(line);
    if (match) findings.set(match[1] ?? '', { kind: match[2] ?? '', detail: match[3] ?? '' });
    return !match;
  });
  const lines = (packetsUntilFlush(bands.report)?.packets ?? []).map((line) => line.toString('utf8'));
  const moved = new Set(lines.flatMap((line) => /^ok (\S+)/.exec(line)?.[1] ?? []));
  const texts: string[] = [];
  const rewritten = lines.map((line) => {
    const ref = /^ng (\S+) hook declined/.exec(line)?.[1];
    const rejection = ref === undefined ? undefined : rejectionFor(ref, findings.get(ref));
    if (rejection) texts.push(rejection.text);
    return rejection ? `ng ${ref} ${rejection.reason}\n` : line;
  });
  return {
    moved,
    response: encodeReport([...progress.map((line) => `${line}\n`), ...texts].join(''), rewritten),
  };
}

function bandsIn(packets: Buffer[]): { report: Buffer; progress: string[] } {
  const on = (band: number) =>
    Buffer.concat(packets.filter((one) => one[0] === band).map((one) => one.subarray(1)));
  const progress = on(2).toString('utf8').split('\n');
  return { report: on(1), progress: progress.filter((line) => line !== '') };
}

function encodeReport(text: string, lines: string[]): Buffer {
  const report = Buffer.concat([...lines.map((line) => packet(line)), flush]);
  return Buffer.concat([sideband(2, Buffer.from(text)), sideband(1, report), flush]);
}

/** Git's pkt-line format: four hexadecimal digits of length, then the content; `0000` is a flush packet. */
function packet(content: string | Buffer): Buffer {
  const body = typeof content === 'string' ? Buffer.from(content) : content;
  const length = (body.length + 4).toString(16).padStart(4, '0');
  return Buffer.concat([Buffer.from(length), body]);
}

const flush = Buffer.from('0000');

/** The packets up to the first flush, and the offset after it; undefined if the buffer is incomplete. */
function packetsUntilFlush(buffer: Buffer): { packets: Buffer[]; end: number } | undefined {
  const packets: Buffer[] = [];
  let at = 0;
  while (at + 4 <= buffer.length) {
    const length = Number.parseInt(buffer.toString('latin1', at, at + 4), 16);
    if (length === 0) return { packets, end: at + 4 };
    if (Number.isNaN(length) || length < 4) return undefined;
    if (at + length > buffer.length) return undefined;
    packets.push(buffer.subarray(at + 4, at + length));
    at += length;
  }
  return undefined;
}

/** Splits content into side-band packets, which hold at most 65,515 bytes each. */
function sideband(band: 1 | 2, content: Buffer): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; at < content.length; at += 60_000) {
    pieces.push(packet(Buffer.concat([Buffer.from([band]), content.subarray(at, at + 60_000)])));
  }
  return Buffer.concat(pieces);
}
