import { anyOf } from '../../text/pattern/any-of.ts';
import { reworded } from './behaviour.ts';
import type { FileReading } from './reading.ts';
import type { SourceLine } from './source-line.ts';

/** What a diff shows of a source file that it changes. */
export interface Source {
  readonly stem: string;
  readonly deleted: boolean;
  /** Lower-case words of its path, its changed lines, and what they are in. */
  readonly about: ReadonlySet<string>;
  /** Identifiers of lines that it gained. */
  readonly added: ReadonlySet<string>;
  /** Identifiers that it defined and no longer does. */
  readonly gone: ReadonlySet<string>;
  readonly literals: {
    readonly added: ReadonlySet<string>;
    readonly removed: ReadonlySet<string>;
    readonly withdrawn: ReadonlySet<string>;
    readonly dropped: ReadonlySet<string>;
    /** Quoted in the new version, as far as it is shown. */
    readonly present: ReadonlySet<string>;
  };
  /** Nobody knows what changed in it. */
  readonly wide: boolean;
}

export function sourceOf(reading: FileReading): Source {
  const { path, file, hunks } = reading;
  const [removed, added] = [changedLines(reading, 'old'), changedLines(reading, 'new')];
  const sections = hunks.map(({ section }) => section).join(' ');
  const around = nearby(reading);
  const texts = [...removed, ...added].map(({ text }) => text).join(' ');
  const words = reworded(removed, added);
  const about = words === undefined ? `${stem(path)} ${texts} ${sections} ${around}` : [...words].join(' ');
  return {
    stem: stem(path),
    deleted: file.status === 'deleted',
    about: subjectWords(about),
    added: new Set(identifiers(added.map(({ text }) => text).join(' '))),
    gone: new Set(removed.flatMap(({ code }) => definedIn(code))),
    literals: {
      added: literals(added),
      removed: literals(removed),
      withdrawn: withdrawnFrom(reading, 'none'),
      dropped: withdrawnFrom(reading, 'fewer'),
      present: new Set(reading.new.lines.flatMap(({ text }) => quoted(text))),
    },
    wide: file.diff === undefined,
  };
}

/** What one side has of its own, without tests. */
export function changedLines(reading: FileReading, side: 'old' | 'new'): readonly SourceLine[] {
  const { lines, isTest } = reading[side];
  return lines.filter((line, index) => line.changed && !line.blank && !isTest(index));
}

/** What encloses the changed lines: a few lines above and below in the same hunk. */
function nearby(reading: FileReading): string {
  const { lines } = reading.new;
  const near = new Set<number>();
  for (const [index, line] of lines.entries()) {
    if (!line.changed) continue;
    for (let at = index - 3; at <= index + 3; at++) near.add(at);
  }
  const definitions = lines.filter((line) =>
    /\b(?:def|func|fn|fun|function|class|struct|impl|trait)\b|=>/.test(line.code),
  );
  return [...near]
    .map((at) => lines[at]?.text ?? '')
    .concat(definitions.map(({ text }) => text))
    .join(' ');
}

const definition = new RegExp(
  [
    String.raw`(?:\b(?:def|func|fn|fun|function|class|struct|interface|trait|enum|type|const|let|var|val|static|module|object|record)\s+(?:self\.)?|\b(?:public|private|protected)\s+(?:static\s+)?[\w<>[\]]+\s+|^\s*(?:async\s+)?(?=\w+\([^)]*\)\s*\{)|^\s*(?=\w+\??:))([A-Za-z_]\w*)`,
  ].join('|'),
  'g',
);

/** What a line of code defines: functions, classes, fields. */
export function definedIn(code: string): readonly string[] {
  const field = /^\s*(\w+)\s+[*[\]\w.]+(?:\s+`.*)?\s*$/.exec(code.slice(0, 400))?.[1];
  if (field !== undefined && !/^(?:return|import|package|else|raise|throw)$/.test(field)) return [field];
  const methods = [...code.slice(0, 400).matchAll(/^func\s+\([^)]*\)\s*(\w+)/g)].map(([, name = '']) => name);
  const method = methodDeclaration.exec(code.slice(0, 400))?.[1];
  if (method !== undefined && !/^(?:if|for|while|switch|catch|function)$/.test(method)) methods.push(method);
  return [...methods, ...[...code.slice(0, 400).matchAll(definition)].map(([, name = '']) => name)].filter(
    (name) => name.length > 2,
  );
}

const methodDeclaration = anyOf([
  String.raw`^\s*(?:[\w<>[\],.?]{1,60}\s+){1,6}(\w+)\s*\([^()]*\)\s*(?:throws [\w, ]+)?\{`,
]);

/** Words that say nothing of what code is about. */
const common = new Set(
  'test tests spec it describe should expect assert equal equals be to eq the and with when returns return not for from this self true false null none nil const let var new function def func class import export require async await type string number int bool void public private static final get set value values result results name data item items list object error index src lib app main if else throw throws raise catch try pub use mod impl struct end do then given has have is are in on of a an by at or as'.split(
    ' ',
  ),
);

/** Lower-case words, with `totalPrice` and `total_price` taken apart; only those that say something. */
export function subjectWords(text: string): ReadonlySet<string> {
  const words = text
    .slice(0, 400_000)
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .match(/[a-z]{3,}/g);
  return new Set((words ?? []).filter((word) => !common.has(word)).map(singular));
}

function singular(word: string): string {
  return word.length > 4 && word.endsWith('s') ? word.slice(0, -1) : word;
}

export function identifiers(text: string): string[] {
  return (text.match(/[A-Za-z_]\w{2,}/g) ?? []).filter((name) => !common.has(name.toLowerCase()));
}

/** Literals that go without any taking their place: nothing replaces their lines, or what does has fewer. */
function withdrawnFrom({ hunks }: FileReading, most: 'none' | 'fewer'): ReadonlySet<string> {
  const gone: string[] = [];
  for (const { lines } of hunks) {
    let run = { removed: [] as string[], added: [] as string[], isReplaced: false };
    for (const { kind, text } of [...lines, { kind: 'same' as const, text: '' }]) {
      if (kind !== 'same') {
        run[kind].push(...quoted(text));
        run.isReplaced ||= kind === 'added';
      } else {
        const isGone = most === 'none' ? !run.isReplaced : run.added.length < run.removed.length;
        if (isGone) gone.push(...run.removed);
        run = { removed: [], added: [], isReplaced: false };
      }
    }
  }
  return new Set(gone);
}

/** Strings that are long enough to be told from others. */
export function quoted(text: string): readonly string[] {
  const found = text.match(/"[^"]{1,200}"|'[^']{1,200}'/g) ?? [];
  return found.filter((each) => /\w{3}/.test(each)).map((each) => `"${each.slice(1, -1)}"`);
}

function literals(lines: readonly SourceLine[]): ReadonlySet<string> {
  return new Set(
    lines.flatMap(({ text }) => text.match(/\d[\d_.]*\d|\d|"[^"]{1,200}"|'[^']{1,200}'/g) ?? []),
  );
}

/** `price` for `src/price.test.ts`, `tests/test_price.py` and `PriceTest.java`. */
export function stem(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/(?<=.)\..*$/, '');
  return name
    .replace(/^(?:test_|Test(?=[A-Z]))|(?:[-_.]?(?:tests?|specs?|Tests?|Specs?|IT|TestCase))$/g, '')
    .toLowerCase();
}
