import type { CharacterSet } from './character-set.ts';
import { type Assertion, type Node, PatternProblem } from './parse.ts';

/** One step of a search; the places are those of other steps. */
export type Step =
  | { readonly do: 'read'; readonly set: CharacterSet; next: number }
  | { readonly do: 'assert'; readonly is: Assertion; next: number }
  | { readonly do: 'fork'; next: number; other: number }
  | { readonly do: 'found' };

/** The time for each character grows with the number of steps. */
const maxSteps = 600;

/** The steps of a pattern, in which the first one is the first; throws `PatternProblem`. */
export function programOf(node: Node): readonly Step[] {
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
