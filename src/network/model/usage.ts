import { createParser } from 'eventsource-parser';
import { noTokens, type Tokens, totalOf, type Usage } from '../spending/budget.ts';
import { charactersPerToken } from './filter.ts';
import { isModelName, isObject, type JsonObject } from './json.ts';
import type { Format } from './routes.ts';

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

/** In characters. An answer that is longer is not looked at, nor is one event that is. */
const keptCharacters = 8 * 1024 * 1024;

export function meter({ format, isEvents, likely }: Answer): Meter {
  const { read, isLast, tokensOf } = formats[format];
  const decoder = new TextDecoder();
  let report: Report = {};
  let [body, isWhole] = ['', false];
  // In characters: what a model wrote, and what has come of a line or a body that is not whole.
  let [written, unread] = [0, 0];
  const take = (text: string): void => {
    const value = parsed(text);
    for (const piece of Array.isArray(value) ? value : [value]) {
      if (!isObject(piece)) continue;
      report = { ...report, ...read(piece) };
      written += writtenIn(piece);
    }
  };
  const events = createParser({
    maxBufferSize: keptCharacters,
    onEvent: ({ data }) => take(data),
    // What follows is read again: the rest of such an event looks like no other.
    onError: ({ type }) => void (type === 'max-buffer-size-exceeded' && events.reset()),
  });
  const isComplete = () => report.output !== undefined && (isWhole || (isEvents && isLast(report)));
  return {
    write(bytes) {
      const text = decoder.decode(bytes, { stream: true });
      const lineEnd = isEvents ? text.lastIndexOf('\n') : -1;
      unread = lineEnd < 0 ? unread + text.length : text.length - lineEnd - 1;
      if (isEvents) events.feed(text);
      else if (body.length <= keptCharacters) body += text;
    },
    end() {
      isWhole = true;
      if (isEvents || body.length > keptCharacters) return;
      unread = 0;
      take(body);
    },
    usage() {
      const reported = tokensOf(report);
      const seen = Math.ceil((written + unread) / charactersPerToken);
      const input = report.input === undefined ? likely.tokens : reported;
      const output = isComplete() ? reported.output : Math.max(reported.output, seen);
      const tokens = { ...input, output };
      const estimated = !isComplete() && totalOf(tokens) > 0;
      return { model: report.model ?? likely.model, tokens, estimated };
    },
  };
}

/** Undefined for what is not JSON, such as the `[DONE]` at the end of a stream. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (fault) {
    if (fault instanceof SyntaxError) return undefined;
    throw fault;
  }
}

/** Where answers hold what a model wrote, in all formats. */
const texts = new Set([
  ...['text', 'thinking', 'partial_json', 'content', 'delta', 'arguments'],
  ...['reasoning', 'reasoning_content', 'refusal'],
]);

/** In characters. What is nested more deeply than any answer is not looked at. */
function writtenIn(value: object, depth = 24): number {
  const sizes = Object.entries(value).map(([key, inner]: [string, unknown]) => {
    if (typeof inner === 'string') return texts.has(key) ? inner.length : 0;
    return typeof inner === 'object' && inner !== null && depth > 0 ? writtenIn(inner, depth - 1) : 0;
  });
  return sizes.reduce((sum, size) => sum + size, 0);
}

type Counts = 'input' | 'cached' | 'written' | 'writtenLong' | 'output' | 'thoughts' | 'toolInput';

/**
 * What an answer has said so far, as it counts; later pieces replace what earlier ones said. `last`: the last
 * event of a stream has come.
 */
type Report = Readonly<Partial<Record<Counts, number>> & { model?: string; last?: boolean }>;

/** How a format says what was used. */
interface Counters {
  read(piece: JsonObject): Report;
  /** Whether a stream of events says nothing after this, even if it did not end. */
  isLast(report: Report): boolean;
  tokensOf(report: Report): Tokens;
}

interface Places {
  /** The key below which the first event of a stream has all of it, if not at the top. */
  readonly below?: string;
  readonly model?: string;
  readonly usage?: string;
  /** By their paths within the usage. */
  readonly counts: Readonly<Record<string, Counts>>;
}

function reading({ below = '', model = 'model', usage = 'usage', counts }: Places) {
  return (piece: JsonObject): Report => {
    const named = [piece, piece[below]].filter(isObject);
    const models = named.map((holder) => holder[model]).filter(isModelName);
    const found = named.flatMap((holder) =>
      Object.entries(counts).map(([path, name]) => [name, valueAt(holder[usage], path)] as const),
    );
    const numbers = found.filter(([, count]) => Number.isFinite(count) && Number(count) >= 0);
    return { ...Object.fromEntries(numbers), ...models.map((name) => ({ model: name }))[0] };
  };
}

function valueAt(value: unknown, path: string): unknown {
  return path.split('.').reduce((inner, key) => (isObject(inner) ? inner[key] : undefined), value);
}

/** OpenAI's input contains what came from the cache and what was written to it. */
function openAiTokens({ input = 0, cached = 0, written = 0, output = 0 }: Report): Tokens {
  const rest = Math.max(0, input - cached - written);
  return { ...noTokens, input: rest, cached_input: cached, cache_write: written, output };
}

/** Only the last event says what was used. */
const saidAtLast = ({ output }: Report) => output !== undefined;

const readMessages = reading({
  below: 'message',
  counts: {
    input_tokens: 'input',
    cache_read_input_tokens: 'cached',
    cache_creation_input_tokens: 'written',
    'cache_creation.ephemeral_1h_input_tokens': 'writtenLong',
    output_tokens: 'output',
  },
});

const formats: Readonly<Record<Format, Counters>> = {
  messages: {
    read: (piece) => ({ ...readMessages(piece), ...(piece['type'] === 'message_stop' && { last: true }) }),
    isLast: ({ last }) => last === true,
    tokensOf({ input = 0, cached = 0, written = 0, writtenLong = 0, output = 0 }) {
      const long = Math.min(written, writtenLong);
      return { input, cached_input: cached, cache_write: written - long, long_cache_write: long, output };
    },
  },
  responses: {
    read: reading({
      below: 'response',
      counts: {
        input_tokens: 'input',
        'input_tokens_details.cached_tokens': 'cached',
        'input_tokens_details.cache_write_tokens': 'written',
        output_tokens: 'output',
      },
    }),
    isLast: saidAtLast,
    tokensOf: openAiTokens,
  },
  chat: {
    read: reading({
      counts: {
        prompt_tokens: 'input',
        'prompt_tokens_details.cached_tokens': 'cached',
        'prompt_tokens_details.cache_write_tokens': 'written',
        completion_tokens: 'output',
      },
    }),
    isLast: saidAtLast,
    tokensOf: openAiTokens,
  },
  // Each piece says what was used until then; streams without `alt=sse` are a list of such pieces.
  gemini: {
    read: reading({
      model: 'modelVersion',
      usage: 'usageMetadata',
      counts: {
        promptTokenCount: 'input',
        cachedContentTokenCount: 'cached',
        toolUsePromptTokenCount: 'toolInput',
        candidatesTokenCount: 'output',
        thoughtsTokenCount: 'thoughts',
      },
    }),
    isLast: () => false,
    tokensOf({ input = 0, cached = 0, toolInput = 0, output = 0, thoughts = 0 }) {
      const rest = Math.max(0, input - cached) + toolInput;
      return { ...noTokens, input: rest, cached_input: cached, output: output + thoughts };
    },
  },
};
