import type { Sealed, Seals } from '../seal/seals.ts';
import type { Outcome } from '../steering/shapes/outcome.ts';

/** A line of the outcomes as it is stored: JSON with the outcome, its place and its seal. */
export interface OutcomeLine {
  readonly text: string;
  readonly outcome: Outcome;
  /** Counts all lines that were ever appended. */
  readonly place: number;
}

/** What is in the file of a repository's outcomes. */
export interface OutcomeLines {
  /** Those that we can prove to have written, in their order. */
  readonly sound: readonly OutcomeLine[];
  /** Lines sealed with keys that this process does not have, as they are. */
  readonly unknown: readonly string[];
  /** The number of lines that nobody of ours wrote. */
  readonly forged: number;
}

/** The line for an outcome, sealed for its repository and its place. */
export function outcomeLine(outcome: Outcome, place: number, seals: Seals): string {
  const seal = seals.seal(sealedOutcome(outcome, place));
  return JSON.stringify({ ...outcome, place, seal });
}

/** Reads the file of a repository; a line for another one is forged. */
export function parseOutcomes(file: string, repositoryId: number, seals: Seals): OutcomeLines {
  const sound: OutcomeLine[] = [];
  const unknown: string[] = [];
  let forged = 0;
  for (const text of file.split('\n').filter((line) => line !== '')) {
    const read = parseLine(text, repositoryId, seals);
    if (read === 'unknown') unknown.push(text);
    else if (read === 'forged') forged += 1;
    else sound.push(read);
  }
  return { sound, unknown, forged };
}

/** The newest outcome of each pull request, newest last. */
export function latestOf(lines: readonly OutcomeLine[]): readonly OutcomeLine[] {
  const latest = new Map<number, OutcomeLine>();
  for (const line of lines) {
    const { number, seq } = line.outcome;
    const known = latest.get(number);
    if (known === undefined || known.outcome.seq <= seq) latest.set(number, line);
  }
  return [...latest.values()].sort((one, other) => one.place - other.place);
}

/** The place of the newest line, or 0. */
export function lastPlace({ sound }: OutcomeLines): number {
  return sound.reduce((most, { place }) => Math.max(most, place), 0);
}

function parseLine(text: string, repositoryId: number, seals: Seals): OutcomeLine | 'unknown' | 'forged' {
  const fields = objectIn(text);
  if (fields === undefined) return 'forged';
  const { place, seal, ...outcome } = fields;
  if (typeof place !== 'number' || typeof seal !== 'string' || outcome['repository_id'] !== repositoryId)
    return 'forged';
  // What is sealed is what we wrote, so that a sound seal proves the shape.
  const claimed = outcome as unknown as Outcome;
  const { seal: verdict } = seals.check(sealedOutcome(claimed, place), seal);
  if (verdict === 'unknown') return 'unknown';
  return verdict === 'sound' ? { text, outcome: claimed, place } : 'forged';
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined; // not JSON, so nobody of ours wrote it
  }
}

/** Runs in it have ended, so retired keys still prove what they sealed. */
function sealedOutcome(outcome: Outcome, place: number): Sealed {
  const { repository_id, number } = outcome;
  const parts = [String(repository_id), String(number), String(place), JSON.stringify(outcome)];
  return { label: 'outcome', parts, ended: true };
}
