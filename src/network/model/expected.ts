import { noTokens, type Usage } from '../spending/tokens.ts';
import { isObject, type JsonObject } from './json.ts';

/** A token has about so many characters. */
export const charactersPerToken = 4;

/** What an answer is taken to use if we never learn it, in tokens, as the following. */
const likelyAnswer = 2000;

/** About what an image or a page is counted as, however large its data are. */
const tokensPerMedium = 1600;

/** What a request will probably use. */
export function likelyUsage(body: JsonObject, model: string): Usage {
  const tokens = { ...noTokens, input: likelyInput(body), output: likelyOutput(body) };
  return { model, tokens, estimated: true };
}

const limitNames = ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'maxOutputTokens'];

/** No more than the request allows. */
function likelyOutput(body: JsonObject): number {
  const places = [body, body['generationConfig'], body['generation_config']].filter(isObject);
  const given = places.flatMap((place) => limitNames.map((name) => place[name]));
  return Math.min(
    likelyAnswer,
    ...given.filter((limit) => typeof limit === 'number' && limit > 0).map(Number),
  );
}

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
