import type { Changes, GateHit } from '../../steering/shapes/attempt-result.ts';
import { shortened } from '../../text/cut.ts';
import { executedDownload } from '../reading/downloads.ts';
import { isInert } from '../reading/kinds.ts';
import { hitAt } from '../reading/rules.ts';

/** What a change adds to one file. */
export interface AddedText {
  readonly path: string;
  readonly lines: readonly { readonly number: number; readonly text: string }[];
}

/** Whether a file may contain something to run: scripts, sources, build and CI files. */
export function isCodeFile(path: string): boolean {
  return !isInert(path);
}

/** The files of a change that may contain something to run. */
export function codeFiles(files: Changes['files']): readonly string[] {
  return files.filter(({ path, status }) => status !== 'deleted' && isCodeFile(path)).map(({ path }) => path);
}

const maxHitsPerFile = 5;

/** Added lines that run what they download. */
export function remoteCode({ path, lines }: AddedText): readonly GateHit[] {
  const found = executedDownload(path.toLowerCase().endsWith('.json') ? lines.map(unescaped) : lines);
  return found
    .slice(0, maxHitsPerFile)
    .map(({ number, text }) =>
      hitAt('runs-remote-code', { path, line: number }, shortened(text.trim(), 200)),
    );
}

/** A script in JSON may have its pipe written as `\u007c`. */
function unescaped<L extends AddedText['lines'][number]>(line: L): L {
  const decode = (_: string, digits: string) => String.fromCharCode(Number.parseInt(digits, 16));
  return { ...line, text: line.text.replace(/\\u([0-9a-f]{4})/gi, decode) };
}
