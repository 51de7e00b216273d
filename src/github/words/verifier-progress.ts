import type { VerifierProgress } from '../../steering/progress.ts';
import { durationText } from '../../text/amounts.ts';

/** How far a verifier is, in a few words: `passed after 2.0 s`, `running for 12 s`, `to come`. */
export function verifierStateText({ required, since, result }: VerifierProgress, now: Date): string {
  if (result !== undefined) {
    const verdict = result.success ? 'passed' : `failed${required ? '' : ' (not required)'}`;
    return `${verdict} after ${durationText(result.duration_s)}`;
  }
  return since === undefined ? 'to come' : `running for ${elapsedText(since, now)}`;
}

/** `3 min 20 s` since then; clocks differ, so never less than nothing. */
export function elapsedText(since: string, now: Date): string {
  return durationText(Math.max(0, Math.round((now.getTime() - Date.parse(since)) / 1000)));
}
