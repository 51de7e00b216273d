import { secondsOf } from '../../config/schema/schema-forms.ts';
import { githubLimits, unlimited, type WriteLimits } from '../../github/octokit/rate-limiter.ts';
import { longestHoldMs } from '../../runs/attempts/new-lease.ts';
import { expected, positiveNumber } from './values.ts';

/** How many attempts at the same time. */
export function concurrency(value: string): number {
  return positiveNumber('COXSWAIN_CONCURRENCY', value, 4);
}

/** The time between sweeps, in milliseconds. */
export function sweepEveryMs(value: string): number {
  const seconds = secondsOf(value);
  if (seconds !== undefined && seconds <= longestSweepS) return seconds * 1000;
  throw expected('COXSWAIN_SWEEP_EVERY', value, 'a duration of at most 24h, such as 5m');
}

/** GitHub keeps deliveries for three days; a later sweep would no longer find them. */
const longestSweepS = 24 * 60 * 60;

/** How long a phase must last to be rendered, in milliseconds. */
export function renderAfterMs(value: string): number {
  const seconds = value === '0' ? 0 : secondsOf(value);
  if (seconds !== undefined && seconds <= maxRenderAfterS) return seconds * 1000;
  throw expected('COXSWAIN_RENDER_AFTER', value, '0 or a duration of at most 1m, such as 3s');
}

/** People who see no sign of work for longer than this assume that nothing happens. */
const maxRenderAfterS = 60;

/** How long an agent is held until somebody answers its question, in milliseconds. */
export function holdQuestionsMs(value: string): number {
  const seconds = value === '0' ? 0 : secondsOf(value);
  if (seconds !== undefined && seconds * 1000 <= longestHoldMs) return seconds * 1000;
  throw expected('COXSWAIN_HOLD_QUESTIONS', value, '0 or a duration of at most 25s, such as 10s');
}

/** How fast we may write. */
export function writeLimits(value: string): WriteLimits {
  if (value === 'github') return githubLimits;
  if (value === 'off') return unlimited;
  throw expected('COXSWAIN_WRITE_LIMITS', value, 'github or off');
}

const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

/** The level of the log; `name` is what asks for it. */
export function logLevel(value: string, name = 'LOG_LEVEL'): string {
  if (levels.includes(value)) return value;
  throw expected(name, value, `${levels.slice(0, -1).join(', ')} or ${levels.at(-1)}, as in ${name}=debug`);
}
