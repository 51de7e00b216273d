import { isIn, isLetter } from './character-set.ts';
import { type Assertion, parsePattern } from './parse.ts';
import { programOf, type Step } from './program.ts';

export { PatternProblem } from './parse.ts';

/** A regular expression that takes time in proportion to the text, whatever it says. */
export interface Pattern {
  /** Whether it matches somewhere in the text. */
  isIn(text: string): boolean;
}

/**
 * Reads a regular expression: what JavaScript understands, but no lookahead, lookbehind and references, which
 * cannot be searched for in linear time, and no `\p{…}`. `(?i)` at the beginning ignores case. Throws
 * `PatternProblem`.
 */
export function patternFrom(text: string): Pattern {
  const { node, ignoresCase } = parsePattern(text);
  return new Search(programOf(node), ignoresCase);
}

/** What stood in front of a place, as far as assertions can tell. */
type Before = 'start' | 'letter' | 'other';

/** All steps that the search can be at, before the next character is known. */
interface Position {
  readonly steps: readonly number[];
  readonly before: Before;
  /** Where each unit leads; 'found' if the pattern has matched in front of it. */
  readonly after: Map<number, Position | 'found'>;
}

/** What comes after the last character. */
const end = -1;

/** More are forgotten, and computed again: there can be a power of two. */
const maxPositions = 500;

class Search implements Pattern {
  readonly #program: readonly Step[];
  readonly #ignoresCase: boolean;
  readonly #positions = new Map<string, Position>();

  constructor(program: readonly Step[], ignoresCase: boolean) {
    this.#program = program;
    this.#ignoresCase = ignoresCase;
  }

  isIn(text: string): boolean {
    let position = this.#position([], 'start');
    for (let at = 0; at <= text.length; at += 1) {
      const unit = at === text.length ? end : text.charCodeAt(at);
      const next = position.after.get(unit) ?? this.#next(position, unit);
      if (next === 'found') return true;
      position = next;
    }
    return false;
  }

  #next(position: Position, unit: number): Position | 'found' {
    const reached = this.#reached(position, unit);
    const isFound = reached.some((at) => this.#program[at]?.do === 'found');
    const next = isFound ? 'found' : this.#position(this.#read(reached, unit), kindOf(unit));
    position.after.set(unit, next);
    return next;
  }

  /** The steps that read a character, or have found something, from everywhere and from the first one. */
  #reached({ before, steps }: Position, unit: number): readonly number[] {
    const seen = new Set<number>();
    const waiting = [...steps, 0];
    const border = (before === 'letter') !== (kindOf(unit) === 'letter');
    const holds: Readonly<Record<Assertion, boolean>> = {
      ...{ start: before === 'start', end: unit === end },
      ...{ border, 'no-border': !border },
    };
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      const step = this.#program[at];
      if (seen.has(at) || step === undefined) continue;
      seen.add(at);
      if (step.do === 'fork') waiting.push(step.next, step.other);
      if (step.do === 'assert' && holds[step.is]) waiting.push(step.next);
    }
    return [...seen];
  }

  #read(reached: readonly number[], unit: number): readonly number[] {
    const next = new Set<number>();
    for (const at of reached) {
      const step = this.#program[at];
      if (step?.do === 'read' && unit !== end && isIn(step.set, unit, this.#ignoresCase)) next.add(step.next);
    }
    return [...next].sort((one, other) => one - other);
  }

  #position(steps: readonly number[], before: Before): Position {
    const key = `${before} ${steps.join(' ')}`;
    const known = this.#positions.get(key);
    if (known !== undefined) return known;
    if (this.#positions.size >= maxPositions) this.#positions.clear();
    const position: Position = { steps, before, after: new Map() };
    this.#positions.set(key, position);
    return position;
  }
}

function kindOf(unit: number): Before {
  return unit !== end && isLetter(unit) ? 'letter' : 'other';
}
