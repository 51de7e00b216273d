import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

interface Refusing extends Pick<IncomingMessage, 'statusCode' | 'headers'> {
  /** How it begins. */
  readonly body: string;
}

/** Each says when one limit of several is full again; `remaining` names what tells whether it is used up. */
const resets: readonly { readonly name: string; readonly remaining?: string }[] = [
  { name: 'anthropic-ratelimit-unified-reset' },
  ...['requests', 'tokens', 'input-tokens', 'output-tokens'].map((what) => ({
    name: `anthropic-ratelimit-${what}-reset`,
    remaining: `anthropic-ratelimit-${what}-remaining`,
  })),
  ...['requests', 'tokens'].map((what) => ({
    name: `x-ratelimit-reset-${what}`,
    remaining: `x-ratelimit-remaining-${what}`,
  })),
];

/**
 * When a provider that does not answer for now answers again, in milliseconds since 1970; undefined if it
 * does not say so. `retry-after` is RFC 9110's, `retryDelay` in the body is Google's, the others are those of
 * Anthropic and OpenAI: https://cloud.google.com/apis/design/errors#error_details,
 * https://docs.anthropic.com/en/api/rate-limits and https://platform.openai.com/docs/guides/rate-limits
 */
export function limitedUntil({ statusCode = 0, headers, body }: Refusing, now: number): number | undefined {
  if (statusCode !== 429 && statusCode < 500) return undefined;
  const delay = /"retryDelay"\s*:\s*"(?<text>[\d.]{1,20}s)"/.exec(body)?.groups?.['text'];
  const asked = momentIn(textOf(headers, 'retry-after') ?? delay, now);
  const times = resets.flatMap(({ name, remaining }) => {
    const isUsedUp = remaining === undefined || Number(textOf(headers, remaining) ?? 0) === 0;
    return isUsedUp ? (momentIn(textOf(headers, name), now) ?? []) : [];
  });
  const until = asked ?? (times.length > 0 ? Math.max(...times) : undefined);
  return until === undefined || until <= now ? undefined : until;
}

function textOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  return [headers[name]].flat()[0];
}

/** Seconds from now or since 1970, `6m0s`, or a date. */
function momentIn(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,12}(?:\.\d{1,6})?$/.test(text)) {
    const seconds = Number(text);
    return seconds > 1_000_000_000 ? seconds * 1000 : now + seconds * 1000;
  }
  const duration = /^(?:(?<h>\d{1,4})h)?(?:(?<m>\d{1,6})m(?!s))?(?:(?<s>\d{1,7}(?:\.\d{1,9})?)s)?$/.exec(
    text,
  );
  if (duration?.groups !== undefined && text !== '') {
    const { h = 0, m = 0, s = 0 } = duration.groups;
    return now + (Number(h) * 3600 + Number(m) * 60 + Number(s)) * 1000;
  }
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : date;
}
