import { bounded } from './words/bounded.ts';

const maxLength = 500;
const linesAfter = 6;
const lastLines = 8;

const failure = /error|fail|assert|expected|not ok|✗|✖|×|panic|traceback/i;

/** A test that passed may be named after a failure. */
const passed = /^\s*(?:✓|✔|√|ok\b|\[?(?:--- )?pass)|\b(?:ok|passed)\s*$/i;

/** A sum may be of none. */
const none = /\b(?:0|no) (?:\w+ )?(?:error|fail)|\b(?:errors?|fail(?:ed|ures?|s)?)\W+0\b/i;

const esc = '\u001b';
const colours = new RegExp(`${esc}\\[[\\d;]*m`, 'g');

/**
 * Of what a program has said, the first line that looks like its failure with what follows it; else its last
 * lines. At most 500 characters.
 */
export function failingLines({
  stdout,
  stderr,
}: {
  readonly stdout: string;
  readonly stderr: string;
}): string {
  const [said, complained] = [linesOf(stdout), linesOf(stderr)];
  const found = fromFailure(said) ?? fromFailure(complained);
  return bounded(
    (found ?? (complained.length > 0 ? complained : said).slice(-lastLines)).join('\n'),
    maxLength,
  );
}

function fromFailure(lines: readonly string[]): readonly string[] | undefined {
  const at = lines.findIndex((line) => failure.test(line) && !passed.test(line) && !none.test(line));
  return at < 0 ? undefined : lines.slice(at, at + 1 + linesAfter);
}

function linesOf(text: string): readonly string[] {
  const lines = text.replace(colours, '').split(/\r?\n/);
  return lines.map((line) => line.trimEnd()).filter((line) => line !== '');
}
