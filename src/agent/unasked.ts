import type { GateHit } from '../steering/attempt-result.ts';
import { someOfEach } from '../steering/observing.ts';
import { shortened } from '../text/cut.ts';

/** How many hits of a rule are kept: however often an agent does one thing, what else it does is seen. */
const maxOfEach = 10;
const maxKept = 50;
const maxEvidence = 300;

/** The rules that matched what an agent did without anybody being asked. */
export class Unasked {
  readonly #hits: GateHit[] = [];
  readonly #evidence = new Map<string, Set<string>>();

  get hits(): readonly GateHit[] {
    return someOfEach(this.#hits, maxKept);
  }

  add(hits: readonly GateHit[]): void {
    for (const hit of hits) {
      const evidence = shortened(`the agent ran it unasked: ${hit.evidence}`, maxEvidence);
      const known = this.#knownOf(hit);
      if (known.has(evidence) || known.size >= maxOfEach) continue;
      known.add(evidence);
      this.#hits.push({ ...hit, evidence });
    }
  }

  #knownOf({ severity, rule }: GateHit): Set<string> {
    const name = `${severity} ${rule}`;
    const known = this.#evidence.get(name) ?? new Set();
    this.#evidence.set(name, known);
    return known;
  }
}
