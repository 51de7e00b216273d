import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { benchBundle } from './bundle/bundle.ts';
import { benchGates } from './gates/gates.ts';
import { benchInbox } from './inbox/inbox.ts';
import { benchIteration } from './iteration/iteration.ts';
import { benchMail } from './mail/mail.ts';
import type { Figure } from './measure/figure.ts';
import { benchProof } from './proof/proof.ts';
import { benchReaction } from './reaction/reaction.ts';
import { benchSandbox } from './sandbox/sandbox.ts';
import { benchServer } from './server/server.ts';
import { tableOf } from './table.ts';

/** `npm run bench`: compares each figure with a floor measured in the same run. See docs/benchmarks.md. */
const benches: Readonly<Record<string, (print: (line: string) => void) => Promise<readonly Figure[]>>> = {
  server: benchServer,
  iteration: benchIteration,
  reaction: benchReaction,
  bundle: benchBundle,
  sandbox: benchSandbox,
  proof: benchProof,
  gates: benchGates,
  inbox: benchInbox,
  mail: benchMail,
};

const { values, positionals } = parseArgs({
  options: { json: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const selected = positionals.length > 0 ? positionals : Object.keys(benches);
const began = performance.now();
const figures: Figure[] = [];
for (const name of selected) {
  const bench = benches[name];
  if (bench === undefined)
    throw new Error(`there is no benchmark ${name}, only ${Object.keys(benches).join(', ')}`);
  figures.push(...(await bench((line) => process.stderr.write(`  ${line}\n`))));
}

const machine = {
  node: process.version,
  processors: cpus().length,
  seconds: Math.round((performance.now() - began) / 1000),
};
console.log(values.json ? JSON.stringify({ ...machine, figures }, null, 2) : tableOf(figures));
