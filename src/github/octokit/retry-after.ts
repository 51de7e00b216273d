import type { RequestError } from '@octokit/request-error';

/**
 * How long GitHub wants us to wait after exceeding a rate limit, in milliseconds; undefined for other errors.
 * https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
 */
export function retryAfterMs({ status, response }: RequestError, now: number): number | undefined {
  if (response === undefined || (status !== 403 && status !== 429)) return undefined;
  const after = Number(response.headers['retry-after']);
  if (after > 0) return after * 1000;
  if (response.headers['x-ratelimit-remaining'] === '0') {
    const theirs = Date.parse(response.headers.date ?? '') || now;
    return Math.max(Number(response.headers['x-ratelimit-reset']) * 1000 - theirs, 0) + 1000;
  }
  const secondary = status === 429 || /secondary rate limit/i.test(JSON.stringify(response.data));
  return secondary ? 60_000 : undefined;
}
