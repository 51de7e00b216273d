import { anyOf } from '../../text/pattern/any-of.ts';
import { type Assertion, between } from './assertion.ts';
import { assertionsIn, bodyOf, type Located } from './located.ts';
import { type FileReading, testAround, type Version } from './reading.ts';
import { normalized } from './source-line.ts';
import { wordsOf } from './words.ts';

/** What the new tests of a diff contain, whichever they are. */
export class Evidence {
  private readonly byFile = new Map<string, ReadonlySet<string>>();
  private readonly all = new Set<string>();
  private readonly keys = new Set<string>();
  private readonly listed = new Set<string>();
  private readonly ends: (readonly string[])[] = [];
  private readonly starts: (readonly string[])[] = [];

  constructor(readings: readonly FileReading[]) {
    for (const { path, new: next } of readings) {
      const own = new Set<string>();
      for (const [index, line] of next.lines.entries()) {
        if (!next.isTest(index)) continue;
        if (testAround(next, index) !== undefined) this.keys.add(line.key);
        if (!line.changed) continue;
        for (const token of tokensOf(line.text)) own.add(token);
        if (line.blank && line.comment === '') for (const cell of cellsOf(line.text)) own.add(cell);
      }
      this.byFile.set(path, own);
      this.ends.push(...endsOf(next));
      this.starts.push(...startsOf(next));
      for (const shape of shapesOfListed(next)) this.listed.add(shape);
      for (const token of own) this.all.add(token);
    }
  }

  /** What an old test states is stated by others: each literal and what it calls, or every line. */
  covers(old: Located): boolean {
    const body = bodyOf(old);
    if (body.length > 0 && body.every((line) => this.keys.has(line))) return true;
    if (this.starts.some((start) => isStart(start, body))) return true;
    if (this.ends.some((end) => end.every((line, at) => line === body.at(at - end.length)))) return true;
    const stated = assertionsIn(old);
    if (stated.length === 0) return false;
    if (stated.every((each) => this.listed.has(shapeOf(each)))) return true;
    const isTold = (text: string) => this.tells(old.reading.path, text);
    return (
      isTold(stated.map(({ subject, expected }) => `${subject} ${expected}`).join(' ')) ||
      isTold(stated.map(({ meaning, value }) => `${meaning ?? ''} ${value ?? ''}`).join(' '))
    );
  }

  /** Most literals of a statement stand in the new tests of its file, and what it calls. */
  private tells(path: string, text: string): boolean {
    const own = this.byFile.get(path) ?? this.all;
    const found = own.size > 0 ? own : this.all;
    const literals = literalsOf(text);
    const names = [...wordsOf(text.replace(/"[^"]*"/g, ''))].filter((word) => /^[A-Za-z_]/.test(word));
    const subjects = names.filter((name) => !/^(?:true|false|null|nil|None|undefined)$/.test(name));
    const namesFound = subjects.filter((name) => found.has(name)).length;
    const literalsFound = literals.filter((each) => found.has(each)).length;
    if (literals.length === 0) return subjects.length > 1 && namesFound === subjects.length;
    return (
      literalsFound >= literals.length * 0.7 &&
      (subjects.length === 0 || namesFound > 0 || literals.length > 3)
    );
  }
}

const maxEnds = 50;

/** The last lines of tests that begin above what the diff shows, and stay as they are. */
function endsOf(version: Version): readonly (readonly string[])[] {
  const { lines, assertions } = version;
  const starts = lines.flatMap((line, index) => (line.hunk === lines[index - 1]?.hunk ? [] : [index]));
  return starts.slice(0, maxEnds).flatMap((start) => {
    const level = lines[start]?.indent ?? 0;
    let end = start;
    for (
      let line = lines[end];
      line !== undefined && !line.changed && line.indent >= level;
      line = lines[++end]
    )
      if (line.blank || testAround(version, end) !== undefined) break;
    const shown = lines
      .slice(start, end)
      .map(({ key }) => key)
      .filter((key) => key.length > 5);
    return level > 0 && shown.join('').length > 40 && between(assertions, start, end).length > 0
      ? [shown]
      : [];
  });
}

/** The first lines of tests that stay as they are, and end below what the diff shows. */
function startsOf(version: Version): readonly (readonly string[])[] {
  const { lines, blocks, assertions } = version;
  const cut = blocks.filter(({ end, group }) => !group && lines[end]?.hunk !== lines[end - 1]?.hunk);
  return cut.slice(0, maxEnds).flatMap(({ head, end }) => {
    const inside = lines.slice(head + 1, end);
    const shown = inside.map(({ key }) => key).filter((key) => key.length > 5);
    const isKept = inside.every(({ changed }) => !changed) && between(assertions, head, end).length > 0;
    return isKept && shown.join('').length > 40 ? [shown] : [];
  });
}

/** At least half of a test, from its first line on. */
function isStart(start: readonly string[], body: readonly string[]): boolean {
  return start.length * 2 >= body.length && start.every((line, at) => line === body[at]);
}

const lists = anyOf([
  String.raw`\b(?:readdir\w*|glob\w*|rglob|listdir|iterdir|walk\w*|read_dir|ReadDir|WalkDir|Glob|fixtures?)\b\s*[([]|\bDir[.[]`,
]);

/** What tests assert that a loop makes, one for each entry of a folder. */
function shapesOfListed({ lines, blocks, assertions }: Version): readonly string[] {
  if (!lines.some(({ changed, code }) => changed && lists.test(code))) return [];
  return blocks.flatMap(({ head, end, changed, group }) => {
    const own = lines[head];
    const around = lines
      .slice(Math.max(0, head - 5), head)
      .findLast((line) => !line.blank && line.indent < (own?.indent ?? 0));
    const isLooped = /\bfor\b|\.(?:forEach|each|map)\b/.test(`${around?.code ?? ''} ${own?.code ?? ''}`);
    return changed && !group && isLooped ? between(assertions, head, end).map(shapeOf) : [];
  });
}

/** What an assertion calls and how it compares, whatever is given. */
function shapeOf({ subject, verb, expected }: Assertion): string {
  const calls = (text: string) => (text.match(/[A-Za-z_][\w.]*(?=\()/g) ?? []).join();
  return `${calls(subject)} ${verb} ${calls(expected)}`;
}

function literalsOf(text: string): readonly string[] {
  const found = text.match(/"[^"]{1,300}"|(?<![\w.])-?\d+(?:\.\d+)*/g) ?? [];
  return [...new Set(found)];
}

/** The cells of a row in a text, as the strings that they stand for. */
function cellsOf(text: string): readonly string[] {
  return text.split(/[|,]/).map((cell) => `"${cell.replace(/[\s'"]/g, '')}"`);
}

function tokensOf(text: string): readonly string[] {
  const quoted = text.replace(/["'`]/g, '"');
  const cells = (quoted.match(/"[^"]{1,300}"/g) ?? []).flatMap((each) => {
    const parts = each.slice(1, -1).split(/[,|]/);
    return [
      normalized(each),
      ...parts.map((part) => part.trim()),
      ...parts.map((part) => `"${part.replace(/\s/g, '')}"`),
    ];
  });
  return [...cells, ...literalsOf(quoted), ...wordsOf(quoted)];
}
