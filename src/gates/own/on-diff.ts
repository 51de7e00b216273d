import type { FileDiff, GateHit } from '../../steering/shapes/attempt-result.ts';
import type { GateSettings } from '../../steering/shapes/settings.ts';
import type { Patch, PatchLine } from '../reading/patch.ts';
import { hitAt } from '../reading/rules.ts';
import { ownHit, ownRules } from './own-rules.ts';

/** What the owners' rules about paths find, and which files they call critical. */
export function ownPathHits(
  { path, previous_path, status }: FileDiff,
  gates: GateSettings,
): readonly GateHit[] {
  const own = ownRules(gates);
  const names = previous_path === undefined ? [path] : [path, previous_path];
  const critical = names.find((name) => own.isCritical(name));
  const byPath = own.paths.flatMap(({ rule, matches }) => {
    const name = names.find(matches);
    return name === undefined ? [] : [ownHit(rule, status, { path: name })];
  });
  return [...(critical === undefined ? [] : [hitAt('critical-task', { path: critical }, status)]), ...byPath];
}

/** More is not read of one file: with a hostile pattern, each character takes a while. */
const maxCharacters = 4 * 1024 * 1024;
const maxLine = 20_000;
const maxHits = 5;

/** Added lines that the owners' patterns match. */
export function ownContentHits({ added, change: { path } }: Patch, gates: GateSettings): readonly GateHit[] {
  const { contents } = ownRules(gates);
  if (contents.length === 0) return [];
  const { isWhole, lines } = readable(added);
  const hits = contents.flatMap(({ matches, rule }) => {
    const found = lines.filter(({ text }) => matches(text)).slice(0, maxHits);
    return found.map(({ number, text }) => ownHit(rule, text, { path, line: number }));
  });
  const rest = hitAt('unparsable', { path }, 'too long to look for what the rules of this repository say');
  return isWhole ? hits : [...hits, rest];
}

function readable(added: readonly PatchLine[]) {
  let left = maxCharacters;
  const lines: PatchLine[] = [];
  for (const line of added) {
    left -= line.text.length;
    if (left < 0 || line.text.length > maxLine) return { lines, isWhole: false };
    lines.push(line);
  }
  return { lines, isWhole: true };
}
