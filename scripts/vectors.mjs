// Says what the product says to cases, wherever its modules live: a stable way to measure it.
//   node scripts/vectors.mjs score | decision | commands | paths | weakened [file]
// reads one case a line in JSON, from the file or from stdin, and prints one result a line with the case's id.
//   score:    {"id", "input": {"checks", "reviewerConfidence", "retries", "maxRetries", "destructive", "toolCalls"}}
//   decision: {"id", "mode", "score", "gated", "threshold"}
//   commands: {"id", "command"}
//   paths:    {"id", "path", "status", "previous_path"}
//   weakened: {"id", "files": [{"path", "base", "head", "previous_path"}], "proof"}, where a side without the
//             file is null, and the proof is what running tests has shown, such as {"oldTestsOnNewCode": "red"}
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** How each kind of case is judged, with the modules of the product that do so. */
const kinds = {
  score: {
    modules: ['src/steering/shapes/score.ts'],
    judge: ({ scoreOf }, { input }) => {
      const { score, band, unverified } = scoreOf({
        verifiers: input.checks,
        reviewer: input.reviewerConfidence,
        retries: input.retries,
        max_retries: input.maxRetries,
        destructive: input.destructive,
        tool_calls: input.toolCalls,
        uncertain: false,
      });
      return { score, band, unverified };
    },
  },
  decision: {
    modules: ['src/steering/shapes/score.ts'],
    judge: ({ bandOf, decisionOf }, { mode, score, gated, unverified, threshold }) => {
      const confidence = { score, band: bandOf(score), unverified };
      return { decision: decisionOf({ confidence, gated, mode, threshold: threshold ?? 0.8 }) };
    },
  },
  commands: {
    modules: ['src/gates/index.ts'],
    judge: ({ gatesOnCommand }, { command }) => ({ hits: gatesOnCommand(command) }),
  },
  paths: {
    modules: ['src/gates/index.ts'],
    judge: ({ gatesOnDiff }, { path, previous_path, status }) => {
      const file = { path, status, additions: 1, deletions: 1, ...(previous_path && { previous_path }) };
      return { hits: gatesOnDiff([file]) };
    },
  },
  weakened: {
    modules: ['src/gates/index.ts'],
    judge: ({ gatesOnDiff }, { files, proof }) => {
      const hits = gatesOnDiff(files.map(changed), proof === undefined ? {} : { proof });
      return { hits: hits.filter(({ rule }) => rule === 'weakens-tests') };
    },
  },
};

const [kind = '', file] = process.argv.slice(2);
if (!Object.hasOwn(kinds, kind)) {
  console.error(`usage: node scripts/vectors.mjs ${Object.keys(kinds).join('|')} [file], not "${kind}"`);
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), 'coxswain-vectors-'));
try {
  const { modules, judge } = kinds[kind];
  const product = await built(modules);
  for (const line of readFileSync(file ?? 0, 'utf8').split('\n')) {
    if (line.trim() === '') continue;
    const { id, name, ...one } = JSON.parse(line);
    console.log(JSON.stringify({ ...(id && { id }), ...(name && { name }), ...judge(product, one) }));
  }
} finally {
  rmSync(folder, { recursive: true });
}

/** What the modules export together. */
async function built(modules) {
  const input = join(folder, 'product.ts');
  writeFileSync(
    input,
    modules.map((module) => `export * from ${JSON.stringify(join(root, module))};\n`).join(''),
  );
  const options = { platform: 'node', tsconfig: false, logLevel: 'silent' };
  const bundle = await rolldown({ cwd: root, input, ...options });
  const output = join(folder, 'product.mjs');
  await bundle.write({ file: output, format: 'esm', codeSplitting: false });
  await bundle.close();
  return import(pathToFileURL(output).href);
}

/** One file as the product gets it: with a diff that has 25 lines around what changed. */
function changed({ path, previous_path, base, head }) {
  const [before, after] = [base, head].map((text, side) => {
    const place = join(folder, String(side));
    writeFileSync(place, text ?? '');
    return place;
  });
  const { stdout, error } = spawnSync('git', ['diff', '--no-index', '--no-color', '-U25', before, after], {
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  });
  if (error) throw new Error(`could not compare the two sides of ${path}`, { cause: error });
  const diff = stdout.slice(Math.max(0, stdout.indexOf('@@ -')));
  const count = (sign) => diff.split('\n').filter((line) => line.startsWith(sign)).length;
  const moved = previous_path === undefined ? 'modified' : 'renamed';
  const status = base === null ? 'added' : head === null ? 'deleted' : moved;
  const lines = { additions: count('+'), deletions: count('-') };
  return { path, status, ...lines, ...(previous_path !== undefined && { previous_path }), diff };
}
