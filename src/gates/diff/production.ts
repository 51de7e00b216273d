import type { GateHit } from '../../steering/shapes/attempt-result.ts';
import { matching } from '../path-rules/path-rule.ts';
import { changesProduction } from '../path-rules/production.ts';
import { isExample, isTerraform, isYaml } from '../reading/kinds.ts';
import { type Hunk, newSide, type Patch, type PatchLine } from '../reading/patch.ts';
import { hitAt } from '../reading/rules.ts';

/** Changes that say themselves that they are about production, whatever the file is called. */
export function productionHits({ change: { path, status }, hunks }: Patch): readonly GateHit[] {
  if (status === 'deleted' || isExample(path) || changesProduction.matches(path)) return [];
  const isToml = path.endsWith('.toml');
  const found = hunks.flatMap((hunk) => {
    if (isTerraform(path)) return changedWhere(hunk, terraform);
    if (isSectioned(path)) return inSection(hunk, yamlSection);
    if (isYaml(path)) return [...changedWhere(hunk, context), ...inManifest(hunk)];
    return isToml ? inSection(hunk, tomlSection) : [];
  });
  const [first] = found;
  return first === undefined ? [] : [hitAt('changes-production', { path, line: first.number }, first.text)];
}

/** Files with a section for each environment. */
const isSectioned = matching([
  '**/config/*.{yml,yaml}',
  '**/{database,cable,storage,mongoid,webpacker,shakapacker,sidekiq,application,settings}.{yml,yaml}',
]);

const production = '(?:[\\w./-]*[-_./])?(?:prod|production|prd)(?:[-_./][\\w./-]*)?';

/** A state, a workspace or a cluster. */
const terraform = new RegExp(
  `^\\s*(?:workspace|key|prefix|config_context|cluster_name)\\s*=\\s*"${production}"`,
  'i',
);
const context = new RegExp(
  `^\\s*(?:current-context|kube-?[cC]ontext|context|kubeContext)\\s*:\\s*["']?${production}["']?\\s*(?:#|$)`,
);
const namespace = new RegExp(`^\\s*namespace\\s*:\\s*["']?${production}["']?\\s*(?:#|$)`);

function changedWhere({ lines }: Hunk, pattern: RegExp): readonly PatchLine[] {
  return lines.filter(({ sign, text }) => sign === '+' && pattern.test(text.slice(0, maxLine)));
}

const maxLine = 500;

/** A document for Kubernetes in a namespace of production; documents are divided by `---`. */
function inManifest(hunk: Hunk): readonly PatchLine[] {
  return documents(hunk.lines).flatMap((lines) => {
    const shown = lines.filter(({ sign }) => sign !== '-').map(({ text }) => text.slice(0, maxLine));
    if (!shown.some((text) => namespace.test(text))) return [];
    if (!shown.some((text) => /^(?:apiVersion|kind|metadata|spec)\s*:/.test(text))) return [];
    return lines.filter(({ sign, text }) => sign !== ' ' && text.trim() !== '').slice(0, 1);
  });
}

function documents(lines: readonly PatchLine[]): readonly (readonly PatchLine[])[] {
  const found: PatchLine[][] = [[]];
  for (const line of lines) {
    if (/^---\s*$/.test(line.text)) found.push([]);
    else found.at(-1)?.push(line);
  }
  return found;
}

interface Section {
  readonly starts: RegExp;
  readonly isProduction: RegExp;
}

/** `production:` at the left, as in `database.yml`. */
const yamlSection: Section = { starts: /^[\w"'-]+\s*:/, isProduction: /^["']?(?:prod|production)["']?\s*:/ };
/** `[env.production]` */
const tomlSection: Section = {
  starts: /^\s*\[/,
  isProduction: /^\s*\[+(?:env(?:ironments?)?\.)?(?:prod|production)(?:[.\]])/,
};

function inSection(hunk: Hunk, { starts, isProduction }: Section): readonly PatchLine[] {
  let inside = isProduction.test(hunk.heading);
  return newSide(hunk).filter(({ sign, text }) => {
    const line = text.slice(0, maxLine);
    if (starts.test(line)) inside = isProduction.test(line);
    return inside && sign === '+' && line.trim() !== '' && !/^\s*#/.test(line);
  });
}
