import type { SteeringIteration } from '../../steering/state.ts';
import type { Task } from '../../steering/task.ts';
import { cut } from '../words/index.ts';
import type { BlockState } from './block-state.ts';

/** A block and how many iterations it no longer lists. */
export interface Shortened {
  readonly block: BlockState;
  readonly leftOut: number;
}

/**
 * The longest form of a block that fits; undefined when none does.
 * The oldest iterations lose their texts first, then they are left out.
 */
export function longestThatFits(
  whole: BlockState,
  fits: (form: Shortened) => boolean,
): Shortened | undefined {
  // Each form is shorter than the one before, so a binary search finds the first that fits.
  let [low, high] = [0, 2 * whole.history.length + 2];
  let found: Shortened | undefined;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const form = formOf(whole, middle);
    if (fits(form)) {
      found = form;
      high = middle - 1;
    } else low = middle + 1;
  }
  return found;
}

/** Form 0 is the whole block; each further form contains a little less. */
function formOf(whole: BlockState, step: number): Shortened {
  const count = whole.history.length;
  if (step <= count) {
    const history = whole.history.map((each, index) => (index < step ? briefIteration(each) : each));
    return { block: { ...whole, history }, leftOut: 0 };
  }
  const brief = briefBlock(whole);
  const leftOut = Math.min(step - count - 1, count);
  const block = { ...brief, history: brief.history.slice(leftOut) };
  return step <= 2 * count + 1
    ? { block, leftOut }
    : { block: { ...block, interactions: [], gates: [] }, leftOut };
}

const briefText = 200;
const briefNames = 20;

function briefBlock(whole: BlockState): BlockState {
  return {
    ...whole,
    task: briefTask(whole.task),
    history: whole.history.map(briefIteration),
    gates: whole.gates
      .slice(0, briefNames)
      .map((gate) => ({ ...gate, evidence: cut(gate.evidence, briefText) })),
    interactions: whole.interactions.slice(-briefNames),
  };
}

function briefIteration(iteration: SteeringIteration): SteeringIteration {
  return {
    ...iteration,
    prompt: cut(iteration.prompt, briefText),
    output: cut(iteration.output, briefText),
    steers: iteration.steers
      .slice(0, briefNames)
      .map((steer) => ({ ...steer, prompt: cut(steer.prompt, briefText) })),
    files_modified: iteration.files_modified.slice(0, briefNames).map((path) => cut(path, briefText)),
    verifiers: iteration.verifiers.slice(0, briefNames),
  };
}

function briefTask(task: Task): Task {
  return {
    ...task,
    title: cut(task.title, briefText),
    description: cut(task.description, briefText),
    acceptance_criteria: task.acceptance_criteria.slice(0, briefNames).map((line) => cut(line, briefText)),
    depends_on: task.depends_on.slice(0, briefNames).map((id) => cut(id, briefText)),
  };
}
