import type { GateHit } from '../../steering/shapes/attempt-result.ts';
import { anyOf } from '../../text/regexp.ts';
import {
  changesProduction,
  isDockerfile,
  isExample,
  isInert,
  isSource,
  isTerraform,
  isYaml,
  matching,
} from '../reading/file-kinds.ts';
import { type Hunk, newSide, type Patch, type PatchLine } from '../reading/patch.ts';
import { hitAt } from '../reading/rules.ts';

/** Finds added lines that let more people or programs in than before. */
export function permissionHits(patch: Patch): readonly GateHit[] {
  const { path } = patch.change;
  if (isInert(path)) return [];
  const found = isDockerfile(path) ? rootUsers(patch) : patch.added.filter(({ text }) => loosens(path, text));
  return found.map(({ number, text }) => hitAt('loosens-permissions', { path, line: number }, text));
}

const maxLine = 2_000;

function loosens(path: string, whole: string): boolean {
  const text = whole.slice(0, maxLine);
  if (comment.test(text)) return false;
  if (isYaml(path)) return !isExample(path) && (settings.test(text) || looseMode.test(text));
  if (isTerraform(path)) return filePermission.test(text) || settings.test(text);
  return isSource(path) && calls.test(text);
}

const comment = /^\s*(?:#|\/\/|\*|\/\*)/;

/** Containers and clusters; compose and Kubernetes have the same words. */
const settings = anyOf([
  String.raw`^\s*(?:-\s*)?["']?(?:privileged|allowPrivilegeEscalation|hostPID|hostIPC|hostNetwork)["']?\s*[:=]\s*["']?true\b`,
  String.raw`^\s*(?:-\s*)?["']?(?:runAsUser|runAsGroup)["']?\s*[:=]\s*["']?0["']?\s*(?:#|,|$)`,
  String.raw`^\s*(?:-\s*)?runAsNonRoot\s*[:=]\s*["']?false\b`,
  String.raw`^\s*(?:user|userns_mode)\s*:\s*["']?(?:root|0|host)(?::(?:root|0))?["']?\s*(?:#|$)`,
  String.raw`^\s*-\s*["']?(?:SYS_ADMIN|CAP_SYS_ADMIN|ALL)["']?\s*$`,
  String.raw`\bcap_add\s*:\s*\[[^\]]*\b(?:ALL|SYS_ADMIN)\b|\bseccomp[:=]\s*unconfined`,
  String.raw`\bdocker\.sock:/|^\s*name\s*:\s*["']?cluster-admin["']?\s*$`,
]);

/** Ansible and the like: `mode: "0777"`; not `defaultMode: 420`, which is decimal. */
const looseMode =
  /^\s*(?:-\s*)?["']?mode["']?\s*[:=]\s*["']?(?:0?[0-7]?[0-7]{2}[2367]|[2-7][0-7]{3})["']?\s*(?:#|$)|^\s*(?:-\s*)?mode\s*[:=]\s*["'][ugoa=+rwxst,]*[oa][+=][rx]*w/;

const filePermission = /\b(?:file|directory)_permission\s*=\s*"0?[0-7]?[0-7]{2}[2367]"/;

/** Modes in calls of programs: `chmod(path, 0o777)`, `mkdir(path, {mode: 0o777})`, `os.MkdirAll(p, 0777)`. */
const octal = '(?:0o?|[\'"]0?o?)(?:[0-7]?[0-7]{2}[2367]|[2-7][0-7]{3})\\b';
const calls = new RegExp(
  [
    `\\b(?:l?chmod|fchmod|chmodSync|lchmodSync|Chmod|FileMode|chmod_R)\\b\\s*[(]?[^)]{0,200}?\\b${octal}`,
    `\\bchmod\\w*\\s*\\([^)]{0,200}?['"]0?[0-7]?[0-7]{2}[2367]['"]`,
    `\\b(?:mkdir|makedirs|mkdirSync|Mkdir|MkdirAll|WriteFile|OpenFile|open|creat|mkfifo|mkdir_p|writeFile|writeFileSync)\\b\\s*\\([^)]{0,200}?[,:]\\s*${octal}`,
    `\\b(?:mode|permissions?)\\s*[:=]\\s*${octal}`,
    '\\bumask\\s*\\(\\s*0(?:o?0*)?\\s*\\)',
    '\\bfromString\\(\\s*"[r-][w-][xsS-][r-][w-][xsS-][r-]w[xtT-]"',
    '\\bsetWritable\\(\\s*true\\s*,\\s*false\\s*\\)',
    '\\bS_I(?:WOTH|SUID|SGID)\\b',
    '\\bset[eu]{0,2}id\\s*\\(\\s*0\\s*\\)',
  ].join('|'),
);

/** The user of an image is the last one that is said; only what is added counts. */
function rootUsers({ hunks }: Patch): readonly PatchLine[] {
  const users = hunks.flatMap(newSide).filter(({ text }) => /^\s*(?:USER|FROM)\s/i.test(text));
  return users.filter((line, index) => {
    const next = users[index + 1];
    const isLast = next === undefined || /^\s*FROM\s/i.test(next.text);
    return line.sign === '+' && isLast && /^\s*USER\s+["']?(?:root|0)(?::\S+)?["']?\s*$/i.test(line.text);
  });
}

/** Finds changes that say themselves that they are about production, whatever the file is called. */
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

/** These files have a section for each environment. */
const isSectioned = matching([
  '**/config/*.{yml,yaml}',
  '**/{database,cable,storage,mongoid,webpacker,shakapacker,sidekiq,application,settings}.{yml,yaml}',
]);

const production = '(?:[\\w./-]*[-_./])?(?:prod|production|prd)(?:[-_./][\\w./-]*)?';

/** Terraform names a state, a workspace or a cluster like this. */
const terraform = new RegExp(
  `^\\s*(?:workspace|key|prefix|config_context|cluster_name)\\s*=\\s*"${production}"`,
  'i',
);
const context = new RegExp(
  `^\\s*(?:current-context|kube-?[cC]ontext|context|kubeContext)\\s*:\\s*["']?${production}["']?\\s*(?:#|$)`,
);
const namespace = new RegExp(`^\\s*namespace\\s*:\\s*["']?${production}["']?\\s*(?:#|$)`);

function changedWhere({ lines }: Hunk, pattern: RegExp): readonly PatchLine[] {
  return lines.filter(({ sign, text }) => sign === '+' && pattern.test(text.slice(0, maxSetting)));
}

const maxSetting = 500;

/** Finds a document for Kubernetes in a namespace of production; documents are divided by `---`. */
function inManifest(hunk: Hunk): readonly PatchLine[] {
  return documents(hunk.lines).flatMap((lines) => {
    const shown = lines.filter(({ sign }) => sign !== '-').map(({ text }) => text.slice(0, maxSetting));
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

/** `production:` stands at the left, as in `database.yml`. */
const yamlSection: Section = { starts: /^[\w"'-]+\s*:/, isProduction: /^["']?(?:prod|production)["']?\s*:/ };
/** `[env.production]` */
const tomlSection: Section = {
  starts: /^\s*\[/,
  isProduction: /^\s*\[+(?:env(?:ironments?)?\.)?(?:prod|production)(?:[.\]])/,
};

function inSection(hunk: Hunk, { starts, isProduction }: Section): readonly PatchLine[] {
  let inside = isProduction.test(hunk.heading);
  return newSide(hunk).filter(({ sign, text }) => {
    const line = text.slice(0, maxSetting);
    if (starts.test(line)) inside = isProduction.test(line);
    return inside && sign === '+' && line.trim() !== '' && !/^\s*#/.test(line);
  });
}
