import picomatch from 'picomatch';
import type { Changes, GateHit } from '../steering/attempt-result.ts';
import { shortened } from '../text/cut.ts';
import { executedDownload } from './downloads.ts';

/** What a change adds to one file; `cut` if not all of it was read. */
export interface AddedText {
  readonly path: string;
  readonly lines: readonly { readonly number: number; readonly text: string }[];
  readonly cut: boolean;
}

/** Text for people, media and lists of versions: nothing runs them, and installation guides say `curl … | sh`. */
const isInert = picomatch(
  [
    '**/*.{md,mdx,markdown,rst,adoc,asciidoc,txt,html,htm,css,csv,tsv,po}',
    '**/*.{png,jpg,jpeg,gif,webp,avif,ico,svg,pdf,woff,woff2,ttf,otf,eot,mp3,mp4,webm,wav,ogg}',
    '**/{package-lock.json,npm-shrinkwrap.json,pnpm-lock.yaml,yarn.lock,bun.lock,go.sum,*.lock}',
    '**/{LICENSE,NOTICE,AUTHORS,CHANGELOG}',
  ],
  { dot: true, nocase: true },
);

/** The files of a change that may contain something to run: scripts, sources, build and CI files. */
export function codeFiles({ files }: Changes): readonly string[] {
  return files.filter(({ path, status }) => status !== 'deleted' && !isInert(path)).map(({ path }) => path);
}

const maxHitsPerFile = 5;

/** Added lines that run what they download, and files of which not all could be read. */
export function remoteCode(files: readonly AddedText[]): readonly GateHit[] {
  return files.flatMap((file) => [...hitsIn(file), ...(file.cut ? [tooLarge(file)] : [])]);
}

function hitsIn({ path, lines }: AddedText): readonly GateHit[] {
  const found = executedDownload(path.toLowerCase().endsWith('.json') ? lines.map(unescaped) : lines);
  return found
    .slice(0, maxHitsPerFile)
    .map(({ number, text }) => hit(`${path}:${number}: ${shortened(text.trim(), 200)}`));
}

function tooLarge({ path }: AddedText): GateHit {
  return hit(`${path}: the change is too large to be read`);
}

function hit(evidence: string): GateHit {
  return { rule: 'runs-remote-code', severity: 'high', evidence };
}

/** A script in JSON may have its pipe written as `\u007c`. */
function unescaped<L extends AddedText['lines'][number]>(line: L): L {
  const decode = (_: string, digits: string) => String.fromCharCode(Number.parseInt(digits, 16));
  return { ...line, text: line.text.replace(/\\u([0-9a-f]{4})/gi, decode) };
}
