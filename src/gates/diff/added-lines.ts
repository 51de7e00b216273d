import { posix } from 'node:path';
import type { Changes, FileDiff, GateHit } from '../../steering/shapes/attempt-result.ts';
import type { GateSettings } from '../../steering/shapes/settings.ts';
import { shortened } from '../../text/characters.ts';
import { anyOf, raw } from '../../text/regexp.ts';
import { isLooseMode } from '../commands/command-rules.ts';
import {
  executedDownload,
  joined,
  type Line,
  maxLength,
  runsInput,
  substitutes,
} from '../reading/downloads.ts';
import {
  isExample,
  isGenerated,
  isInert,
  isPackageJson,
  matching,
  touchesSecrets,
} from '../reading/file-kinds.ts';
import { type Patch, patchOf, unescaped } from '../reading/patch.ts';
import { hitAt } from '../reading/rules.ts';
import { spend } from '../reading/work-limit.ts';
import { automationHits } from './automation.ts';
import { permissionHits, productionHits } from './infrastructure.ts';
import { migrationHits } from './migrations.ts';
import { ownContentHits } from './own-rules.ts';
import { scriptHits } from './scripts.ts';
import { secretHits } from './secrets.ts';

/** One file, with the lines that a change adds to it. */
export interface AddedText {
  readonly path: string;
  readonly lines: readonly Line[];
}

const readers: readonly ((patch: Patch, gates?: GateSettings) => readonly GateHit[])[] = [
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
const maxHits = 5;

/** What is longer is not written by people. */
const maxLine = 1_000;

/** Finds what the added lines of one file hit; nothing if its body is not there. */
export function contentHits(file: FileDiff, gates?: GateSettings): readonly GateHit[] {
  if (file.diff === undefined) return [];
  // Little is looked for in what nothing runs.
  spend(file.diff.length / (isInert(file.path) || isGenerated(file.path) ? 8 : 1));
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

/** Tests are given such files, or compare with them; nothing runs them. */
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

const isAttributes = matching(['**/.gitattributes', '**/.git/info/attributes']);

/** What keeps changes from being shown, has Git run a program, or has one side of a merge win. */
const hiding = anyOf([
  String.raw`(?:^|\s)(?:-diff|diff=unset|binary|(?:linguist|gitlab)-generated(?:=(?!false(?:\s|$))\S*)?)(?=\s|$)`,
  String.raw`(?:^|\s)(?:filter=(?!lfs\b)|merge=|-merge\b|working-tree-encoding=|ident\b|export-subst\b|conflict-marker-size=)`,
]);

/** Nobody reads these as text. */
const isMedia = matching([
  '**/*.{png,jpg,jpeg,gif,webp,avif,ico,bmp,tiff,psd,ai,sketch,fig,pdf,mp3,mp4,mov,webm,wav,ogg,flac,woff,woff2,ttf,otf,eot}',
  '**/*.{zip,gz,tgz,bz2,xz,7z,rar,tar,jar,war,dll,exe,so,dylib,a,lib,o,bin,dat,db,sqlite,parquet,npy,onnx,pt,h5,docx,xlsx,pptx}',
]);

/** Attributes that hide changes of code from reviewers, or have Git run something, in added lines. */
function attributeHits({ change: { path }, added }: Patch): readonly GateHit[] {
  if (!isAttributes(path)) return [];
  return added
    .filter(({ text }) => {
      const [pattern = '', ...attributes] = text.slice(0, maxLine).trim().split(/\s+/);
      if (pattern === '' || pattern.startsWith('#')) return false;
      return hiding.test(attributes.join(' ')) && (pattern.startsWith('[attr]') || !isOpaque(pattern));
    })
    .slice(0, maxHits)
    .map(({ number, text }) => hitAt('changes-automation', { path, line: number, allows }, text));
}

const allows = 'reviewers no longer see what changes in these files, or Git treats them as this says';

/** Whether all that a pattern can be about is media, or generated. */
function isOpaque(pattern: string): boolean {
  const example = pattern
    .replace(/^["/]+|"+$/g, '')
    .replace(/\*+\/?$/, 'x')
    .replaceAll('*', 'x');
  return isMedia(example) || isGenerated(example);
}

/** Files that say where tools and packages come from, and lines that name another place than everybody's. */
const sources: readonly { readonly is: (path: string) => boolean; readonly foreign: RegExp }[] = [
  {
    is: matching(['**/requirements*.{txt,in}', '**/requirements/**', '**/{pip.conf,pip.ini}']),
    foreign: anyOf([
      String.raw`^\s*(?:--)?(?:extra-)?index-url[\s=]+(?!https://(?:pypi\.org|download\.pytorch\.org)/)\S`,
      String.raw`^\s*(?:-i|-f|(?:--)?find-links|(?:--)?trusted-host)[\s=]+\S`,
      String.raw`^[\w.\[\],-]+\s*@\s*https?://(?!(?:github\.com|files\.pythonhosted\.org|download\.pytorch\.org)/)`,
    ]),
  },
  {
    is: matching(['**/{gradle,maven}-wrapper.properties']),
    foreign: raw`^\s*(?:distribution|wrapper)Url\s*[=:]\s*(?!https\\?://(?:services\.gradle\.org|repo\.maven\.apache\.org|repo1\.maven\.org)/)\S`,
  },
  {
    is: isPackageJson,
    foreign: raw`^\s*"(?:@[\w.-]+/)?[\w.-]+"\s*:\s*"https?://[^"]{1,500}\.t(?:ar\.)?gz["?#]`,
  },
  {
    is: matching(['**/.cargo/config{,.toml}']),
    foreign: raw`^\s*(?:replace-with|registry|rustc-wrapper|rustc-workspace-wrapper|runner|linker)\s*=`,
  },
];

/** Finds added lines that have tools or packages come from somewhere else, whose owner's code then runs. */
function foreignSourceHits({ change: { path }, added }: Patch): readonly GateHit[] {
  const file = sources.find(({ is }) => is(path));
  if (file === undefined || (isExample(path) && !/requirements|wrapper/i.test(path))) return [];
  return added
    .filter(({ text }) => file.foreign.test(text.slice(0, maxLine)))
    .slice(0, maxHits)
    .map(({ number, text }) => hitAt('runs-remote-code', { path, line: number }, text));
}

/** Git keeps symbolic links, submodules and modes besides files. */
function linkHits(patch: Patch): readonly GateHit[] {
  return [...symbolicLink(patch), ...submodules(patch), ...modes(patch)];
}

/**
 * Finds a link that leads out of the repository, or to secrets: whoever reads the file reads what is there.
 */
function symbolicLink({ change: { path, status }, mode, added }: Patch): readonly GateHit[] {
  const [line] = added;
  if (mode !== '120000' || status === 'deleted' || line === undefined) return [];
  const target = line.text.trim();
  const resolved = posix.normalize(posix.join(posix.dirname(path), target));
  const leadsOut = posix.isAbsolute(target) || resolved.startsWith('..');
  if (touchesSecrets.matches(resolved.replace(/^[./]+(?=[^/]*\/)/, '')) || touchesSecrets.matches(resolved)) {
    return [
      hitAt(
        'touches-secrets',
        { path, allows: 'whatever reads this file reads a secret' },
        `a link to ${target}`,
      ),
    ];
  }
  if (!leadsOut) return [];
  const allows = 'whatever reads or writes this file reads or writes outside of the repository';
  return [hitAt('loosens-permissions', { path, allows }, `a link out of the repository, to ${target}`)];
}

/** The code of a submodule comes from where `.gitmodules` says, and is that of one commit there. */
function submodules({ change: { path, status }, mode, added }: Patch): readonly GateHit[] {
  const allows = 'builds and people run the code from there';
  if (mode === '160000' && status !== 'deleted')
    return [hitAt('runs-remote-code', { path, allows }, added[0]?.text ?? 'a submodule')];
  if (path !== '.gitmodules') return [];
  return added
    .filter(({ text }) => /^\s*(?:url|update)\s*=/.test(text))
    .map(({ number, text }) => hitAt('runs-remote-code', { path, line: number, allows }, text));
}

function modes({ change: { path }, mode = '' }: Patch): readonly GateHit[] {
  const [, bits = '0'] = /^100(\d{3})$/.exec(mode) ?? [];
  return isLooseMode(bits) ? [hitAt('loosens-permissions', { path }, `its mode is ${mode}`)] : [];
}

function remoteCodeHits({ change: { path }, added }: Patch): readonly GateHit[] {
  return isInert(path) ? [] : remoteCode({ path, lines: added });
}

/** Finds added lines that run what they download. */
export function remoteCode({ path, lines }: AddedText): readonly GateHit[] {
  // A script in JSON may have its pipe written as `\u007c`.
  const plain = ({ number, text }: Line) => ({ number, text: unescaped(text) });
  const found = executedDownload(path.toLowerCase().endsWith('.json') ? lines.map(plain) : lines);
  return found
    .slice(0, maxHits)
    .map(({ number, text }) =>
      hitAt('runs-remote-code', { path, line: number }, shortened(text.trim(), 200)),
    );
}

/** Whether a file may contain something to run: scripts, sources, build and CI files. */
export function isCodeFile(path: string): boolean {
  return !isInert(path);
}

/** Lists the files of a change that may contain something to run. */
export function codeFiles(files: Changes['files']): readonly string[] {
  return files.filter(({ path, status }) => status !== 'deleted' && isCodeFile(path)).map(({ path }) => path);
}

/** Finds added lines that run what is encoded in them, or in a file. */
function hiddenCodeHits({ change: { path, status }, added }: Patch): readonly GateHit[] {
  if (status === 'deleted' || isInert(path) || isExample(path)) return [];
  return executedHidden(added)
    .slice(0, maxHits)
    .map(({ number, text }) => hitAt('unparsable', { path, line: number }, text));
}

/** These turn letters that say nothing into a program. */
const decoder = anyOf([
  String.raw`\b(?:g?base64|base32|basenc)\b[^|]{0,80}\s-(?:-decode|\w*[dD])\b`,
  String.raw`\bopenssl\s+(?:enc|base64|\w+)\b[^|]{0,200}\s-d\b|\bgpg2?\b[^|]{0,100}\s(?:-d|--decrypt)\b`,
  String.raw`\bxxd\b[^|]{0,40}\s-\w*r|\buudecode\b|\bage\s+(?:-d|--decrypt)\b`,
  String.raw`\b(?:gunzip|zcat|bzcat|xzcat|zstdcat|unxz|bunzip2)\b|\b(?:gzip|bzip2|xz|zstd)\b[^|]{0,40}\s-\w*d`,
  String.raw`(?:^|[\s(;&])rev\b|\btr\s+["']?[a-zA-Z]-|\bprintf\b[^|]{0,80}\\(?:x[0-9a-fA-F]{2}|0?[0-7]{3})`,
]);

/** Other languages have their own idioms for it. */
const evaluating = anyOf(
  [
    String.raw`\b(?:exec|eval|compile|Function|runInThisContext|instance_eval|class_eval)\s*\(?.{0,60}\b(?:b64decode|a85decode|b85decode|unhexlify|fromhex|atob|base64_decode|decode64|decode_base64|gzinflate|str_rot13|zlib\.decompress|marshal\.loads)\b`,
    String.raw`\b(?:exec|eval|Function|runInThisContext)\s*\(\s*(?:new\s+)?Buffer\.from\([^)]{0,200},\s*["'](?:base64|hex)`,
    String.raw`\b(?:powershell|pwsh)\b.{0,80}\s-(?:e|en|enc|enco\w*)\s+[A-Za-z0-9+/=$]`,
    String.raw`\b(?:iex|Invoke-Expression)\b.{0,80}\bFromBase64String\b`,
  ],
  'i',
);

/** Finds lines that run what nobody can read as it is written there; the number is that of the first. */
function executedHidden(lines: readonly Line[]): readonly Line[] {
  return joined(lines).filter(({ text }) => runsHidden(text.slice(0, maxLength)));
}

function runsHidden(text: string): boolean {
  if (evaluating.test(text)) return true;
  if (!decoder.test(text)) return false;
  const parts = text.split('|').slice(0, maxParts);
  const first = parts.findIndex((part) => decoder.test(part));
  const isPiped = parts.some(
    (part, index) => index > first && parts[index - 1] !== '' && readsProgram(part.slice(0, 400)),
  );
  return (first >= 0 && isPiped) || substitutes(text, decoder);
}

const maxParts = 200;

/** `sh -s`, `python3 -`; but `perl -ne …` and `node filter.js` have a program, and read what it works on. */
function readsProgram(part: string): boolean {
  const [command] = runsInput.exec(part) ?? [];
  if (command === undefined) return false;
  const rest = part.slice(command.length);
  const end = /(?:sh|busybox|iex)$/i.test(command)
    ? /^(?:\s+-\S*)*\s*(?:$|[;&)"'`>#])/
    : /^\s*-?\s*(?:$|[;&)"'`>#])/;
  return end.test(rest);
}
