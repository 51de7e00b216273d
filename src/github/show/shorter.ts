import type { SteeringIteration } from '../../steering/state.ts';
import type { Task } from '../../steering/task.ts';
import { cut } from '../words/index.ts';
import type { BlockState } from './block-state.ts';

/** A block and how many iterations it no longer lists. */
export interface Shortened {
  readonly block: BlockState;
  readonly leftOut: number;
}

/** The block, then ever shorter ones: the oldest iterations lose their texts first, then they are left out. */
export function* shorter(whole: BlockState): Generator<Shortened> {
  const { history } = whole;
  for (let brief = 0; brief <= history.length; brief += 1) {
    const shortened = history.map((round, index) => (index < brief ? briefRound(round) : round));
    yield { block: { ...whole, history: shortened }, leftOut: 0 };
  }
  const brief = briefBlock(whole);
  for (let leftOut = 0; leftOut <= history.length; leftOut += 1) {
    yield { block: { ...brief, history: brief.history.slice(leftOut) }, leftOut };
  }
  yield { block: { ...brief, history: [], interactions: [], gates: [] }, leftOut: history.length };
}

const briefText = 200;
const briefNames = 20;

function briefBlock(whole: BlockState): BlockState {
  return {
    ...whole,
    task: briefTask(whole.task),
    history: whole.history.map(briefRound),
    gates: whole.gates
      .slice(0, briefNames)
      .map((gate) => ({ ...gate, evidence: cut(gate.evidence, briefText) })),
    interactions: whole.interactions.slice(-briefNames),
  };
}

function briefRound(round: SteeringIteration): SteeringIteration {
  return {
    ...round,
    prompt: cut(round.prompt, briefText),
    output: cut(round.output, briefText),
    steers: round.steers
      .slice(0, briefNames)
      .map((steer) => ({ ...steer, prompt: cut(steer.prompt, briefText) })),
    files_modified: round.files_modified.slice(0, briefNames).map((path) => cut(path, briefText)),
    verifiers: round.verifiers.slice(0, briefNames),
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
