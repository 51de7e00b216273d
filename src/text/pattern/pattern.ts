import {
  type Assertion,
  type CharacterSet,
  isIn,
  isLetter,
  type Node,
  PatternProblem,
  parsePattern,
} from './parse-pattern.ts';

export { PatternProblem } from './parse-pattern.ts';

/**
 * Reads a regular expression: what JavaScript understands, but no lookahead, lookbehind and references, which
 * cannot be searched for in linear time, and no `\p{…}`. `(?i)` at the beginning ignores case. Throws
 * `PatternProblem`.
 */
export function patternFrom(text: string): Pattern {
  const { node, ignoresCase } = parsePattern(text);
  return new Pattern(programOf(node), ignoresCase);
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

/** It comes after the last character. */
const end = -1;

/** More are forgotten, and computed again: there can be a power of two. */
const maxPositions = 500;

/** A regular expression that takes time in proportion to the text, whatever it says. */
class Pattern {
  readonly #program: readonly Step[];
  readonly #ignoresCase: boolean;
  readonly #positions = new Map<string, Position>();

  constructor(program: readonly Step[], ignoresCase: boolean) {
    this.#program = program;
    this.#ignoresCase = ignoresCase;
  }

  /** Whether it matches somewhere in the text. */
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

/** One step of a search; the places are those of other steps. */
type Step =
  | { readonly do: 'read'; readonly set: CharacterSet; next: number }
  | { readonly do: 'assert'; readonly is: Assertion; next: number }
  | { readonly do: 'fork'; next: number; other: number }
  | { readonly do: 'found' };

/** The time for each character grows with the number of steps. */
const maxSteps = 600;

/** Gives the steps of a pattern, in which the first one is the first; throws `PatternProblem`. */
function programOf(node: Node): readonly Step[] {
  const steps: Step[] = [];
  emit(node, steps);
  add(steps, { do: 'found' });
  return steps;
}

function add(steps: Step[], step: Step): number {
  if (steps.length >= maxSteps)
    throw new PatternProblem('fewer repetitions and alternatives: it is too large');
  return steps.push(step) - 1;
}

/** Each part ends where the next one begins. */
function emit(node: Node, steps: Step[]): void {
  switch (node.kind) {
    case 'set':
      add(steps, { do: 'read', set: node.set, next: steps.length + 1 });
      return;
    case 'assertion':
      add(steps, { do: 'assert', is: node.is, next: steps.length + 1 });
      return;
    case 'sequence':
      for (const part of node.parts) emit(part, steps);
      return;
    case 'choice':
      emitChoice(node.parts, steps);
      return;
    case 'repeat':
      emitRepeat(node, steps);
  }
}

function emitChoice(parts: readonly Node[], steps: Step[]): void {
  const ends: number[] = [];
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    const fork = isLast ? undefined : add(steps, { do: 'fork', next: steps.length + 1, other: -1 });
    emit(part, steps);
    if (fork === undefined) continue;
    ends.push(add(steps, { do: 'fork', next: -1, other: -1 }));
    retarget(steps, fork, { other: steps.length });
  }
  for (const end of ends) retarget(steps, end, { next: steps.length, other: steps.length });
}

function emitRepeat({ max, min, part }: Extract<Node, { kind: 'repeat' }>, steps: Step[]): void {
  for (let times = 0; times < min; times += 1) emit(part, steps);
  if (max === Infinity) {
    const fork = add(steps, { do: 'fork', next: steps.length + 1, other: -1 });
    emit(part, steps);
    add(steps, { do: 'fork', next: fork, other: fork });
    retarget(steps, fork, { other: steps.length });
    return;
  }
  const forks: number[] = [];
  for (let times = min; times < max; times += 1) {
    forks.push(add(steps, { do: 'fork', next: steps.length + 1, other: -1 }));
    emit(part, steps);
  }
  for (const fork of forks) retarget(steps, fork, { other: steps.length });
}

function retarget(
  steps: Step[],
  at: number,
  places: { readonly next?: number; readonly other?: number },
): void {
  const step = steps[at];
  if (step?.do === 'fork') Object.assign(step, places);
}
