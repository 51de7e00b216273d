import { createParser } from 'eventsource-parser';
import { noTokens, type Tokens, totalOf, type Usage } from '../spending/model-budget.ts';
import { charactersPerToken } from './filter.ts';
import { isModelName, isObject, type JsonObject } from './json.ts';
import type { Format } from './provider-routes.ts';

export type Meter = ReturnType<typeof meter>;

export interface Answer {
  readonly format: Format;
  /** Whether it consists of server-sent events. */
  readonly isEvents: boolean;
  /** What the request probably uses; counts where the answer does not say it. */
  readonly likely: Usage;
}

/** An answer of more characters is not looked at, nor is one event that has more. */
const keptCharacters = 8 * 1024 * 1024;

/** Reads along an answer to learn what it used. */
export function meter({ format, isEvents, likely }: Answer) {
  const places = formats[format];
  const decoder = new TextDecoder();
  const report: Report = {};
  let [body, isWhole] = ['', false];
  // In characters: what a model wrote, and what has come of a line or a body that is not whole.
  let [written, unread] = [0, 0];
  const take = (text: string): void => {
    for (const piece of [parsed(text)].flat().filter(isObject)) {
      read(piece, places, report);
      isWhole ||= isEvents && places.isLast(piece);
      written += writtenIn(piece);
    }
  };
  const events = createParser({
    maxBufferSize: keptCharacters,
    onEvent: ({ data }) => take(data),
    // What follows is read again: the rest of such an event looks like no other.
    onError: ({ type }) => void (type === 'max-buffer-size-exceeded' && events.reset()),
  });
  return {
    write(bytes: Uint8Array): void {
      const text = decoder.decode(bytes, { stream: true });
      const lineEnd = isEvents ? text.lastIndexOf('\n') : -1;
      unread = lineEnd < 0 ? unread + text.length : text.length - lineEnd - 1;
      if (isEvents) events.feed(text);
      else if (body.length <= keptCharacters) body += text;
    },
    /** The answer has arrived whole. */
    end(): void {
      isWhole = true;
      if (isEvents || body.length > keptCharacters) return;
      unread = 0;
      take(body);
    },
    usage(): Usage {
      const reported = places.tokensOf({ ...nothing, ...report });
      const seen = Math.ceil((written + unread) / charactersPerToken);
      const input = report.input === undefined ? likely.tokens : reported;
      const isComplete = isWhole && report.output !== undefined;
      const output = isComplete ? reported.output : Math.max(reported.output, seen);
      const tokens = { ...input, output };
      return {
        model: report.model ?? likely.model,
        tokens,
        estimated: !isComplete && totalOf(tokens) > 0,
      };
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

/** How many characters an answer has written. What is nested more deeply than any answer is not looked at. */
function writtenIn(value: object, depth = 24): number {
  const sizes = Object.entries(value).map(([key, inner]: [string, unknown]) => {
    if (typeof inner === 'string') return texts.has(key) ? inner.length : 0;
    return typeof inner === 'object' && inner !== null && depth > 0 ? writtenIn(inner, depth - 1) : 0;
  });
  return sizes.reduce((sum, size) => sum + size, 0);
}

const nothing = { input: 0, cached: 0, written: 0, writtenLong: 0, output: 0, thoughts: 0, toolInput: 0 };

type Counts = typeof nothing;

/** What an answer has said so far, as it counts; later pieces replace what earlier ones said. */
type Report = Partial<Counts> & { model?: string };

/** Where a format says what was used, and what it means. */
interface Places {
  /** The key below which the first event of a stream has all of it, if not at the top. */
  readonly below?: string;
  readonly model: string;
  readonly usage: string;
  /** What the numbers in the usage count, by their paths in it. */
  readonly counts: Readonly<Record<string, keyof Counts>>;
  /** Whether a stream that has said what was used says nothing after this event, even if it did not end. */
  isLast(piece: JsonObject): boolean;
  tokensOf(counts: Counts): Tokens;
}

function read(piece: JsonObject, { below = '', model, usage, counts }: Places, report: Report): void {
  for (const holder of [piece, piece[below]].filter(isObject)) {
    const name = holder[model];
    if (isModelName(name)) report.model = name;
    for (const [path, key] of Object.entries(counts)) {
      const count = valueAt(holder[usage], path);
      if (Number.isFinite(count) && Number(count) >= 0) report[key] = Number(count);
    }
  }
}

function valueAt(value: unknown, path: string): unknown {
  return path.split('.').reduce((inner, key) => (isObject(inner) ? inner[key] : undefined), value);
}

/** OpenAI's input contains what came from the cache and what was written to it. */
function openAiTokens({ input, cached, written, output }: Counts): Tokens {
  const rest = Math.max(0, input - cached - written);
  return { ...noTokens, input: rest, cached_input: cached, cache_write: written, output };
}

const formats: Readonly<Record<Format, Places>> = {
  messages: {
    ...{ below: 'message', model: 'model', usage: 'usage' },
    counts: {
      input_tokens: 'input',
      cache_read_input_tokens: 'cached',
      cache_creation_input_tokens: 'written',
      'cache_creation.ephemeral_1h_input_tokens': 'writtenLong',
      output_tokens: 'output',
    },
    isLast: ({ type }) => type === 'message_stop',
    tokensOf({ input, cached, written, writtenLong, output }) {
      const long = Math.min(written, writtenLong);
      return { input, cached_input: cached, cache_write: written - long, long_cache_write: long, output };
    },
  },
  responses: {
    ...{ below: 'response', model: 'model', usage: 'usage' },
    counts: {
      input_tokens: 'input',
      'input_tokens_details.cached_tokens': 'cached',
      'input_tokens_details.cache_write_tokens': 'written',
      output_tokens: 'output',
    },
    isLast: () => true,
    tokensOf: openAiTokens,
  },
  chat: {
    ...{ model: 'model', usage: 'usage' },
    counts: {
      prompt_tokens: 'input',
      'prompt_tokens_details.cached_tokens': 'cached',
      'prompt_tokens_details.cache_write_tokens': 'written',
      completion_tokens: 'output',
    },
    isLast: () => true,
    tokensOf: openAiTokens,
  },
  // Each piece says what was used until then; streams without `alt=sse` are a list of such pieces.
  gemini: {
    ...{ model: 'modelVersion', usage: 'usageMetadata' },
    counts: {
      promptTokenCount: 'input',
      cachedContentTokenCount: 'cached',
      toolUsePromptTokenCount: 'toolInput',
      candidatesTokenCount: 'output',
      thoughtsTokenCount: 'thoughts',
    },
    isLast: () => false,
    tokensOf({ input, cached, toolInput, output, thoughts }) {
      const rest = Math.max(0, input - cached) + toolInput;
      return { ...noTokens, input: rest, cached_input: cached, output: output + thoughts };
    },
  },
};
