import { gatesOnDiff } from '../../src/gates/index.ts';
import type { FileDiff } from '../../src/steering/shapes/attempt-result.ts';
import { type Figure, figureOf, type Round } from '../measure/figure.ts';
import { type Shape, shapes } from './shapes.ts';

type Print = (line: string) => void;

const rounds = 7;

/** What it costs to look for gates in a large change, compared with one simple search in each of its lines. */
export async function benchGates(print: Print): Promise<readonly Figure[]> {
  return shapes().map((shape) => figureFor(shape, print));
}

function figureFor({ name, files }: Shape, print: Print): Figure {
  const timed: Round[] = [];
  for (let round = 0; round < rounds; round++) {
    const floor = timeOf(() => linesWith(files, /\bpassword\s*=\s*["'][^"']{8}/i));
    const ours = timeOf(() => gatesOnDiff(files).length);
    timed.push({ ours, floor });
    print(`the gates of ${name}: ${ours.toFixed(0)} ms, one search in each line ${floor.toFixed(0)} ms`);
  }
  return figureOf(timed, { name: 'gates', what: `the gates of ${name}`, unit: 'ms' });
}

/** How many lines a reader finds that looks for one thing. */
function linesWith(files: readonly FileDiff[], pattern: RegExp): number {
  const lines = files.flatMap(({ diff = '' }) => diff.split('\n'));
  return lines.filter((line) => pattern.test(line)).length;
}

/** Milliseconds. What was found is used, so that nothing can be left out. */
function timeOf(work: () => number): number {
  const began = performance.now();
  if (work() < 0) throw new Error('there cannot be fewer than none');
  return performance.now() - began;
}
