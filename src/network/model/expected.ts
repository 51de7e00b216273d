import type { Expected } from '../spending/budget.ts';
import { noTokens } from '../spending/tokens.ts';
import { isObject, type JsonObject } from './json.ts';

/** A token has about so many characters. */
export const charactersPerToken = 4;

/** No model writes more in one answer; in tokens, as the following. */
const longestAnswer = 131_072;

/** What an answer is taken to use if we never learn it. */
const likelyAnswer = 2000;

/** What providers add to a request for its tools. */
const addedByProvider = 4096;

/** About what an image or a page is counted as, however large its data are. */
const tokensPerMedium = 1600;

/** Data of these kinds are packed, so that they may have more tokens than bytes. */
const packed =
  /"(?:application\/pdf|data:application\/pdf[^"]{0,40}|(?:audio|video)\/[^"]{1,40}|input_audio)"|data:application\/pdf/;

/** What a request could use: a token has at least one byte. */
export function expectedOf(
  body: JsonObject,
  sent: { readonly model: string; readonly text: string },
): Expected {
  const output = mostOutput(body);
  const input = packed.test(sent.text)
    ? Number.POSITIVE_INFINITY
    : Buffer.byteLength(sent.text) + addedByProvider;
  return {
    model: sent.model,
    likely: { ...noTokens, input: likelyInput(body), output: Math.min(output, likelyAnswer) },
    atMost: { ...noTokens, input, output },
  };
}

function mostOutput(body: JsonObject): number {
  const config = body['generationConfig'] ?? body['generation_config'];
  const places = [body, ...(isObject(config) ? [config] : [])];
  const limits = places.flatMap((place) =>
    limitNames.map((name) => place[name]).filter((limit) => typeof limit === 'number' && limit > 0),
  );
  const answers = places
    .flatMap((place) => answerNames.map((name) => place[name]))
    .map((count) => Number(count ?? 1));
  const most = limits.length === 0 ? longestAnswer : Math.max(...limits.map(Number));
  return most * Math.max(1, ...answers.filter((count) => count >= 1));
}

const limitNames = ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'maxOutputTokens'];
const answerNames = ['n', 'candidateCount', 'candidate_count'];

function likelyInput(value: unknown): number {
  if (typeof value === 'string') return isMedium(value) ? tokensPerMedium : value.length / charactersPerToken;
  if (Array.isArray(value)) return value.reduce<number>((sum, each) => sum + likelyInput(each), 0);
  if (!isObject(value)) return 0;
  const counts = Object.entries(value).map(
    ([key, each]) => key.length / charactersPerToken + likelyInput(each),
  );
  return Math.ceil(counts.reduce((sum, count) => sum + count, 0));
}

/** Base64 without a space in it. */
function isMedium(text: string): boolean {
  return text.length > 2000 && /^(?:data:[^,]{0,100},)?[A-Za-z0-9+/_-]{2000}/.test(text);
}
