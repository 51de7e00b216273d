import type { FileDiff, GateHit } from '../../steering/attempt-result.ts';
import type { GateSettings } from '../../steering/settings.ts';
import { ownContentHits } from '../own/on-diff.ts';
import { hitAt } from '../rules.ts';
import { attributeHits } from './attributes.ts';
import { automationHits } from './automation.ts';
import { foreignSourceHits } from './foreign-sources.ts';
import { isExample, isGenerated, isInert } from './kinds.ts';
import { linkHits } from './links.ts';
import { migrationHits } from './migrations.ts';
import { type Patch, patchOf } from './patch.ts';
import { permissionHits } from './permissions.ts';
import { productionHits } from './production.ts';
import { hiddenCodeHits, remoteCodeHits } from './remote-code-lines.ts';
import { scriptHits } from './scripts.ts';
import { secretHits } from './secrets.ts';

type Reader = (patch: Patch, gates?: GateSettings) => readonly GateHit[];

const readers: readonly Reader[] = [
  secretHits,
  migrationHits,
  scriptHits,
  remoteCodeHits,
  hiddenCodeHits,
  permissionHits,
  productionHits,
  automationHits,
  attributeHits,
  foreignSourceHits,
  linkHits,
  (patch, gates) => (gates === undefined ? [] : ownContentHits(patch, gates)),
  unread,
];

/** A file may hit a rule in every line; nobody reads more. */
const maxHitsOfRule = 20;

/** What the added lines of one file hit; nothing if its body is not there. */
export function contentHits(file: FileDiff, gates?: GateSettings): readonly GateHit[] {
  if (file.diff === undefined) return [];
  const patch = patchOf(file);
  const counts = new Map<string, number>();
  return distinct(readers.flatMap((reader) => reader(patch, gates))).filter(({ rule }) => {
    const count = (counts.get(rule) ?? 0) + 1;
    counts.set(rule, count);
    return count <= maxHitsOfRule;
  });
}

/** Two readers may find the same; the first one says it. */
function distinct(hits: readonly GateHit[]): readonly GateHit[] {
  const found = new Map(
    hits.map((hit) => [`${hit.rule} ${hit.line ?? hit.evidence}`, hit] as const).reverse(),
  );
  return hits.filter((hit) => found.get(`${hit.rule} ${hit.line ?? hit.evidence}`) === hit);
}

/** What tests are given or compare with; nothing runs it. */
function isTestData(path: string): boolean {
  return isExample(path) && /\.(?:json|ya?ml|xml|har|sql|log)$/i.test(path);
}

/**
 * What was not read counts where something could run it, or where it could hold a secret: of pictures, texts
 * for people, lists of versions and the data of tests, the rest may stay unread.
 */
function unread({ change: { path }, isCut }: Patch): readonly GateHit[] {
  if (!isCut || isInert(path) || isGenerated(path) || isTestData(path)) return [];
  return [hitAt('unparsable', { path }, 'the change is too large to be read to its end')];
}
