import { noTokens, type Tokens } from '../spending/tokens.ts';
import type { Leaf } from './json-scanner.ts';
import { isModelName } from './model-name.ts';
import type { Format } from './routes.ts';

/** What an answer has said so far, as it counts. */
export interface Report {
  readonly model?: string;
  readonly input?: number;
  readonly cached?: number;
  readonly written?: number;
  readonly writtenLong?: number;
  readonly output?: number;
  readonly thoughts?: number;
  readonly toolInput?: number;
  /** The last event of a stream has come. */
  readonly last?: boolean;
}

/** How a format says what was used. */
export interface Counters {
  /** What a value says; later ones replace earlier ones. */
  read(leaf: Leaf): Report;
  /** Whether a stream of events says nothing after this, even if it did not end. */
  isLast(report: Report): boolean;
  tokens(report: Report): Tokens;
}

export function countersOf(format: Format): Counters {
  return all[format];
}

type Counts = Exclude<keyof Report, 'model' | 'last'>;

/** Reads numbers at these places, and the model at those. */
function reading(numbers: Readonly<Record<string, Counts>>, models: readonly string[]) {
  const places = new Map(Object.entries(numbers));
  return ({ path, value }: Leaf): Report => {
    const name = places.get(path);
    if (name !== undefined && typeof value === 'number' && value >= 0) return { [name]: value };
    return models.includes(path) && isModelName(value) ? { model: value } : {};
  };
}

/** The same places below each of these. */
function below(
  prefixes: readonly string[],
  places: Readonly<Record<string, Counts>>,
): Record<string, Counts> {
  return Object.fromEntries(
    prefixes.flatMap((prefix) => Object.entries(places).map(([path, name]) => [`${prefix}${path}`, name])),
  );
}

/** `message_start` has it below `message`, each `message_delta` has what it is by now. */
const readMessages = reading(
  below(['usage.', 'message.usage.'], {
    input_tokens: 'input',
    cache_read_input_tokens: 'cached',
    cache_creation_input_tokens: 'written',
    'cache_creation.ephemeral_1h_input_tokens': 'writtenLong',
    output_tokens: 'output',
  }),
  ['model', 'message.model'],
);

const messages: Counters = {
  read: (leaf) =>
    leaf.path === 'type' && leaf.value === 'message_stop' ? { last: true } : readMessages(leaf),
  isLast: ({ last }) => last === true,
  tokens({ input = 0, cached = 0, written = 0, writtenLong = 0, output = 0 }) {
    const long = Math.min(written, writtenLong);
    return { input, cached_input: cached, cache_write: written - long, long_cache_write: long, output };
  },
};

/** OpenAI's input contains what came from the cache and what was written to it. */
function openAiTokens({ input = 0, cached = 0, written = 0, output = 0 }: Report): Tokens {
  const rest = Math.max(0, input - cached - written);
  return { ...noTokens, input: rest, cached_input: cached, cache_write: written, output };
}

const responses: Counters = {
  read: reading(
    below(['usage.', 'response.usage.'], {
      input_tokens: 'input',
      'input_tokens_details.cached_tokens': 'cached',
      'input_tokens_details.cache_write_tokens': 'written',
      output_tokens: 'output',
    }),
    ['model', 'response.model'],
  ),
  // Only the last event says what was used.
  isLast: ({ output }) => output !== undefined,
  tokens: openAiTokens,
};

const chat: Counters = {
  read: reading(
    below(['usage.'], {
      prompt_tokens: 'input',
      'prompt_tokens_details.cached_tokens': 'cached',
      'prompt_tokens_details.cache_write_tokens': 'written',
      completion_tokens: 'output',
    }),
    ['model'],
  ),
  isLast: ({ output }) => output !== undefined,
  tokens: openAiTokens,
};

/** Each piece says what was used until then; streams without `alt=sse` are a list of such pieces. */
const readGemini = reading(
  below(['usageMetadata.', '*.usageMetadata.'], {
    promptTokenCount: 'input',
    cachedContentTokenCount: 'cached',
    toolUsePromptTokenCount: 'toolInput',
    candidatesTokenCount: 'output',
    thoughtsTokenCount: 'thoughts',
  }),
  ['modelVersion', '*.modelVersion'],
);

const gemini: Counters = {
  read: readGemini,
  isLast: () => false,
  tokens({ input = 0, cached = 0, toolInput = 0, output = 0, thoughts = 0 }) {
    const rest = Math.max(0, input - cached) + toolInput;
    return { ...noTokens, input: rest, cached_input: cached, output: output + thoughts };
  },
};

const all: Readonly<Record<Format, Counters>> = { messages, responses, chat, gemini };
