import type { GateHit } from '../../steering/shapes/attempt-result.ts';
import { isExample, isGenerated, isSource } from '../reading/kinds.ts';
import { type Hunk, newSide, type Patch, type PatchLine } from '../reading/patch.ts';
import { hitAt } from '../reading/rules.ts';
import { assignedSecrets, bareSecrets } from '../secrets/entropy.ts';
import { shapeIn } from '../secrets/shapes.ts';

/** Secrets in added lines, told by what they are; their values are not repeated. */
export function secretHits(patch: Patch): readonly GateHit[] {
  const { path, status } = patch.change;
  if (status === 'deleted') return [];
  const keys = patch.hunks.flatMap(privateKeys).map((line) => at(path, line, 'a private key'));
  const isKnown = new Set(keys.map(({ line }) => line));
  const guess = guessing(patch);
  const others = patch.added
    .filter(({ number }) => !isKnown.has(number))
    .flatMap((line) => secretsIn(line.text.slice(0, maxLine), guess).map((what) => at(path, line, what)));
  return [...keys, ...others];
}

/** Longer lines are made by programs; what is in front is read all the same. */
const maxLine = 20_000;

function at(path: string, { number }: PatchLine, what: string): GateHit {
  return hitAt('touches-secrets', { path, line: number }, `${what} is added`);
}

/** How a file's values may be guessed at by their looks. */
interface Guess {
  readonly named: 'quoted' | 'any' | 'none';
  readonly bare: boolean;
}

/** So many values that look like chance are data. */
const maxBare = 5;

function guessing({ added, change: { binary, path } }: Patch): Guess {
  if (binary || isGenerated(path) || isExample(path)) return { named: 'none', bare: false };
  const named = isSource(path) ? 'quoted' : 'any';
  let left = maxBare;
  for (const { text } of added) {
    if (left >= 0 && text.length <= maxGuessed && bareSecrets(text).length > 0) left -= 1;
  }
  return { named, bare: left >= 0 };
}

/** In longer lines, data is more likely than a secret that somebody wrote. */
const maxGuessed = 1_000;

function secretsIn(text: string, { named, bare }: Guess): readonly string[] {
  const known = shapeIn(text);
  if (known !== undefined) return [known];
  if (text.length > maxGuessed || named === 'none') return [];
  if (assignedSecrets(text, { isQuoted: named === 'quoted' }).length > 0) {
    return ['what looks like a password, key or token'];
  }
  return bare && bareSecrets(text).length > 0 ? ['a value that looks like a secret'] : [];
}

const keyStart = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|^PuTTY-User-Key-File-\d:/;
const keyBody = /^[\s"'`+|\\n]*[A-Za-z0-9+/=]{40,}/;

/** A private key with something in it: a program may name the line that one begins with. */
function privateKeys(hunk: Hunk): readonly PatchLine[] {
  const lines = newSide(hunk);
  return lines.filter(({ sign, text }, index) => {
    const start = sign === '+' ? keyStart.exec(text) : null;
    if (start === null) return false;
    const rest = text.slice(start.index + start[0].length, start.index + maxLine).replaceAll('\\n', '');
    return (
      keyBody.test(rest) ||
      lines.slice(index + 1, index + 7).some((next) => keyBody.test(next.text.slice(0, maxLine)))
    );
  });
}
