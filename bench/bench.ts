import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { benchBundle } from './bundle/bundle.ts';
import { benchDoor } from './door/door.ts';
import { benchIteration } from './iteration/iteration.ts';
import type { Figure } from './measure/figure.ts';
import { benchReaction } from './reaction/reaction.ts';
import { tableOf } from './table.ts';

/** `npm run bench`: every figure beside a floor of the same run; docs/benchmarks.md says how to read it. */
const benches: Readonly<Record<string, (tell: (line: string) => void) => Promise<readonly Figure[]>>> = {
  server: benchDoor,
  iteration: benchIteration,
  reaction: benchReaction,
  bundle: benchBundle,
};

const { values, positionals } = parseArgs({
  options: { json: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const wanted = positionals.length > 0 ? positionals : Object.keys(benches);
const began = performance.now();
const figures: Figure[] = [];
for (const name of wanted) {
  const services = benches[name];
  if (services === undefined)
    throw new Error(`could not run ${name}: there are ${Object.keys(benches).join(', ')}`);
  figures.push(...(await services((line) => process.stderr.write(`  ${line}\n`))));
}

const place = {
  node: process.version,
  processors: cpus().length,
  seconds: Math.round((performance.now() - began) / 1000),
};
console.log(values.json ? JSON.stringify({ ...place, figures }, null, 2) : tableOf(figures));
