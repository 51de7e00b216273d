import type { Assertion } from './assertion.ts';
import { leftOut } from './comparing.ts';
import type { FileReading } from './reading.ts';

/** Which assertions of the old version are in the new one as they were, wherever that is. */
export class Moved {
  private readonly byText = new Map<string, Assertion[]>();
  private readonly byClaim = new Map<string, Assertion[]>();
  private readonly taken = new Set<Assertion>();

  constructor(readings: readonly FileReading[]) {
    for (const assertion of readings.flatMap(({ new: next }) => next.assertions)) {
      if (!assertion.changed) continue;
      put(this.byText, assertion.key, assertion);
      if (assertion.meaning !== undefined || assertion.subject.includes('('))
        put(this.byClaim, claimOf(assertion), assertion);
    }
  }

  takes(old: Assertion): boolean {
    const found = this.free(this.byText.get(old.key)) ?? this.free(this.byClaim.get(claimOf(old)));
    if (found !== undefined) this.taken.add(found);
    return found !== undefined;
  }

  isMoved(assertion: Assertion): boolean {
    return this.taken.has(assertion);
  }

  private free(assertions: Assertion[] | undefined): Assertion | undefined {
    while (assertions !== undefined && assertions.length > 0) {
      const last = assertions.pop();
      if (last !== undefined && !this.taken.has(last)) return last;
    }
    return undefined;
  }
}

/** What it says, whatever its names and its message. */
function claimOf({ key, meaning, subject, verb, value, expected, negated }: Assertion): string {
  return `${meaning ?? subject} ${verb} ${value ?? expected} ${negated} ${leftOut(key)}`;
}

function put(places: Map<string, Assertion[]>, key: string, assertion: Assertion): void {
  const same = places.get(key);
  if (same === undefined) places.set(key, [assertion]);
  else same.push(assertion);
}
