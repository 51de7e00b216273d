// `npm run size`: how large each folder of the house is, beside its ceiling in size.json. `npm run size -- --sink`
// lowers the ceilings to what is there; raising one is done by hand, in a commit that says what people get for it.
//
// Tokens are counted, not characters or lines, so that neither short names nor dense lines gain anything:
// a string or a template counts one for each 40 characters begun, a regular expression, or a string that becomes
// one, one for each 4, and a file that is no code one for each 8 bytes. Comments and blank lines count nothing.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import jsTokens from 'js-tokens';

const root = fileURLToPath(new URL('..', import.meta.url));
const unread = new Set(['WhiteSpace', 'LineTerminatorSequence', 'SingleLineComment', 'MultiLineComment']);

/** The folders that have ceilings: the first level of `src`, and each package. */
export const folders = ['src', 'packages'].flatMap((top) =>
  readdirSync(join(root, top), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${top}/${name}`)
    .sort(),
);

const ceilingsFile = join(root, 'size.json');

/**
 * The ceilings, by folder: `{ lines, tokens }`. `bundle` has those of the Action's bundle, in bytes: what a job reads
 * for an event that concerns no run, what it reads without working on an attempt, and all that it downloads.
 */
export const ceilings = JSON.parse(readFileSync(ceilingsFile, 'utf8'));

/** How far a folder may stay below its ceiling before that has to sink. */
const slack = { lines: 20, tokens: 200 };

/** The ceilings of a folder of this size: the old ones, or lower ones where it has become smaller. */
export function sunk(size, { lines, tokens }) {
  const next = (key, old) => (old - size[key] > slack[key] ? size[key] : old);
  return { lines: next('lines', lines), tokens: next('tokens', tokens) };
}

/** Files, code lines and tokens of a folder. */
export function sizeOf(folder) {
  const paths = readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
    .map((entry) => join(entry.parentPath, entry.name));
  const sizes = paths.map((path) => sizeOfFile(path, readFileSync(path)));
  const sum = (key) => sizes.reduce((total, size) => total + size[key], 0);
  return { files: paths.length, lines: sum('lines'), tokens: sum('tokens') };
}

function sizeOfFile(path, bytes) {
  return /\.(?:[mc]?[jt]s)$/.test(path)
    ? sizeOfCode(bytes.toString())
    : { lines: 0, tokens: atLeastOne(bytes.length, 8) };
}

/** Code lines and tokens of a text in TypeScript or JavaScript. */
export function sizeOfCode(text) {
  const lines = new Set();
  let line = 1;
  let tokens = 0;
  // How many brackets are open within `RegExp(`; 0 outside of one.
  let depth = 0;
  let before = '';
  for (const { type, value } of jsTokens(text)) {
    const rows = value.split(/\r\n|\n|\r/);
    if (!unread.has(type)) {
      for (const [index, row] of rows.entries()) if (row.trim() !== '') lines.add(line + index);
      if (value === '(' && (depth > 0 || before === 'RegExp')) depth += 1;
      else if (value === ')' && depth > 0) depth -= 1;
      tokens += tokensIn({ type, value }, depth > 0 || before === 'raw');
      before = value;
    }
    line += rows.length - 1;
  }
  return { lines: lines.size, tokens };
}

function tokensIn({ type, value }, isPattern) {
  if (type === 'RegularExpressionLiteral') return atLeastOne(value.length, 4);
  if (type === 'StringLiteral' || /Template/.test(type)) return atLeastOne(value.length, isPattern ? 4 : 40);
  return 1;
}

function atLeastOne(length, perToken) {
  return Math.max(1, Math.ceil(length / perToken));
}

function print() {
  const rows = folders.map((folder) => ({ folder, ...sizeOf(folder), ceiling: ceilings[folder] }));
  const total = (key) => rows.reduce((sum, row) => sum + row[key], 0);
  const ceiling = { lines: rows.reduce((sum, row) => sum + (row.ceiling?.lines ?? 0), 0) };
  ceiling.tokens = rows.reduce((sum, row) => sum + (row.ceiling?.tokens ?? 0), 0);
  const all = {
    folder: 'all',
    files: total('files'),
    lines: total('lines'),
    tokens: total('tokens'),
    ceiling,
  };
  console.log(
    `${'folder'.padEnd(18)}${'files'.padStart(6)}${'code lines'.padStart(20)}${'tokens'.padStart(22)}`,
  );
  for (const { folder, files, lines, tokens, ceiling: most } of [...rows, all]) {
    const of = (value, limit) => `${value} of ${limit ?? '?'}`;
    const cells = [of(lines, most?.lines).padStart(20), of(tokens, most?.tokens).padStart(22)];
    console.log(`${folder.padEnd(18)}${String(files).padStart(6)}${cells.join('')}`);
  }
}

/** A folder that is new gets the ceilings that it needs; one that is gone loses them. */
function sink() {
  const lowered = folders.map((folder) => {
    const size = sizeOf(folder);
    return [folder, sunk(size, ceilings[folder] ?? size)];
  });
  const lines = [['bundle', ceilings.bundle], ...lowered].map(([name, each]) => {
    const values = Object.entries(each).map(([key, value]) => `"${key}": ${value}`);
    return `  "${name}": { ${values.join(', ')} }`;
  });
  writeFileSync(ceilingsFile, `{\n${lines.join(',\n')}\n}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.includes('--sink')) sink();
  print();
}
