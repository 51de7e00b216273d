import type { Assertion } from './assertion.ts';
import type { FileReading } from './reading.ts';

/** Which assertions of the old version are in the new one as they were, wherever that is. */
export class Moved {
  private readonly added = new Map<string, number>();
  private readonly taken = new Map<string, number>();

  constructor(readings: readonly FileReading[]) {
    for (const { new: next } of readings) {
      for (const { key, changed } of next.assertions)
        if (changed) this.added.set(key, (this.added.get(key) ?? 0) + 1);
    }
  }

  takes({ key }: Assertion): boolean {
    const left = this.added.get(key) ?? 0;
    if (left === 0) return false;
    this.added.set(key, left - 1);
    this.taken.set(key, (this.taken.get(key) ?? 0) + 1);
    return true;
  }

  isMoved({ key }: Assertion): boolean {
    const left = this.taken.get(key) ?? 0;
    if (left > 0) this.taken.set(key, left - 1);
    return left > 0;
  }
}
