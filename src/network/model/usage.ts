import { noTokens, totalOf, type Usage } from '../spending/tokens.ts';
import { eventStream } from './event-stream.ts';
import { charactersPerToken } from './expected.ts';
import { jsonScanner, type Leaf } from './json-scanner.ts';
import type { Format } from './routes.ts';
import { countersOf, type Report } from './usage-formats.ts';

/** Reads along an answer to learn what it used. */
export interface Meter {
  write(bytes: Uint8Array): void;
  /** The answer has arrived whole. */
  end(): void;
  usage(): Usage;
}

export interface Answer {
  readonly format: Format;
  /** Whether it consists of server-sent events. */
  readonly isEvents: boolean;
  /** What the request probably uses; counts where the answer does not say it. */
  readonly likely: Usage;
}

/** Memory does not grow with the answer. */
export function meter({ format, isEvents, likely }: Answer): Meter {
  const counters = countersOf(format);
  let report: Report = {};
  let writtenBytes = 0;
  let isWhole = false;
  const bytesOf = ({ key, bytes }: Leaf) => (texts.has(key) ? bytes : 0);
  const onLeaf = (leaf: Leaf) => {
    writtenBytes += bytesOf(leaf);
    report = { ...report, ...counters.read(leaf) };
  };
  const scanner = jsonScanner(onLeaf);
  const events = eventStream({ data: (bytes) => scanner.write(bytes), end: () => scanner.reset() });
  const isComplete = () => report.output !== undefined && (isWhole || (isEvents && counters.isLast(report)));
  return {
    write: (bytes) => (isEvents ? events.write(bytes) : scanner.write(bytes)),
    end: () => {
      isWhole = true;
    },
    usage() {
      const reported = counters.tokens(report);
      const unfinished = scanner.unfinished();
      const bytes = writtenBytes + (unfinished === undefined ? 0 : bytesOf(unfinished));
      const seen = Math.ceil(bytes / charactersPerToken);
      const input = report.input === undefined ? { ...likely.tokens, output: 0 } : { ...reported, output: 0 };
      const output = isComplete() ? reported.output : Math.max(reported.output, seen);
      const tokens = { ...noTokens, ...input, output };
      return { model: report.model ?? likely.model, tokens, estimated: !isComplete() && totalOf(tokens) > 0 };
    },
  };
}

/** Where answers hold what a model wrote, in all formats. */
const texts = new Set([
  'text',
  'thinking',
  'partial_json',
  'content',
  'delta',
  'arguments',
  'reasoning',
  'reasoning_content',
  'refusal',
]);
