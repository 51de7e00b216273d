import type { Paused } from '../../steering/standing.ts';
import { pauseTexts } from './phrases.ts';

/** Why a run is paused, as plain text: what a person said about it is theirs. */
export function pauseText({ why, asked }: Paused): string {
  if (asked === undefined) return pauseTexts[why];
  return asked.reason === '' ? `Paused by ${asked.by}.` : `Paused by ${asked.by}: ${asked.reason}`;
}
