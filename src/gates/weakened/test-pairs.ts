import { alikeTests } from './alike-tests.ts';
import { assertionsIn, bodyOf, type Located } from './located.ts';
import type { FileReading } from './reading.ts';
import type { TestBlock } from './test-blocks.ts';
import { Evidence } from './test-evidence.ts';

/** What became of the tests whose declaration a diff removes or changes. */
export interface TestPairs {
  /** The new version of a test: the same, renamed or moved. */
  successor(block: TestBlock): Located | undefined;
  /** Tests that nothing in the diff takes the place of. */
  readonly lost: readonly Located[];
  /** Tests that other tests take over with what they check: merged, or rows of a table. */
  readonly merged: readonly Located[];
}

/** Pairs old and new tests across all files of a diff, by name first and then by what is in them. */
export function pairTests(readings: readonly FileReading[]): TestPairs {
  const successors = new Map<TestBlock, Located>();
  const olds = locate(readings, 'old');
  const news = locate(readings, 'new');
  const kept = new Map(news.map((each) => [placeOf(each), each]));
  const counterparts = new Map(readings.map((reading) => [reading, keptLines(reading)]));
  const counterpart = (old: Located) => placeAfter(old, counterparts);
  const changed = news.filter(({ block, reading }) => block.changed || reading.file.status === 'added');
  const byName = new Names(changed);
  const bodies = new Bodies(changed);
  const alike = new Subjects(changed);
  let everything: Evidence | undefined;
  const lost: Located[] = [];
  const merged: Located[] = [];
  for (const old of olds) {
    const same = old.block.changed ? undefined : kept.get(counterpart(old));
    const found =
      same ??
      (old.block.changed ? (byName.take(old) ?? bodies.closest(old) ?? alike.closest(old)) : undefined);
    if (found !== undefined) successors.set(old.block, found);
    else if (!old.block.changed && counterpart(old) === '') continue;
    else if (byName.isShared(old)) merged.push(old);
    else {
      // Costly, and most changes lose no test.
      everything ??= new Evidence(readings);
      (everything.covers(old) ? merged : lost).push(old);
    }
  }
  const taken = new Set([...successors.values()].map(({ block }) => block));
  const rewritten = alikeTests(
    lost.filter(({ block }) => block.changed),
    changed.filter(({ block }) => block.changed && !taken.has(block)),
  );
  for (const [old, next] of rewritten) successors.set(old.block, next);
  const stillLost = lost.filter((old) => !rewritten.has(old));
  return { successor: (block) => successors.get(block), lost: stillLost, merged };
}

function locate(readings: readonly FileReading[], side: 'old' | 'new'): readonly Located[] {
  return readings.flatMap((reading) => {
    const version = reading[side];
    return version.blocks.filter(({ group }) => !group).map((block) => ({ reading, version, block }));
  });
}

function placeOf({ reading, version, block }: Located): string {
  return `${reading.path}:${version.lines[block.head]?.number}`;
}

/** The new numbers of lines that stay, by their old ones. */
function keptLines({ hunks }: FileReading): ReadonlyMap<number, number> {
  const kept = hunks.flatMap(({ lines }) => lines).filter(({ kind }) => kind === 'same');
  return new Map(kept.map((line) => [line.old, line.new]));
}

/** Where an unchanged declaration is in the new version. */
function placeAfter(
  { reading, version, block }: Located,
  kept: ReadonlyMap<FileReading, ReadonlyMap<number, number>>,
): string {
  const found = kept.get(reading)?.get(version.lines[block.head]?.number ?? 0);
  return found === undefined ? '' : `${reading.path}:${found}`;
}

class Names {
  private readonly byName = new Map<string, Located[]>();
  private readonly taken = new Map<string, Located>();

  constructor(tests: readonly Located[]) {
    for (const test of tests) {
      const name = plain(test.block.name);
      if (name === '') continue;
      const same = this.byName.get(name);
      if (same === undefined) this.byName.set(name, [test]);
      else same.push(test);
    }
  }

  /** A test of the same name, in the same file if there is one; each is taken once. */
  take(old: Located): Located | undefined {
    const same = this.byName.get(plain(old.block.name)) ?? [];
    const at = Math.max(
      0,
      same.findIndex(({ reading }) => reading === old.reading),
    );
    const [found] = same.splice(at, 1);
    if (found !== undefined) this.taken.set(plain(old.block.name), found);
    return found;
  }

  /** A test of another file was moved to where both files now share it. */
  isShared(old: Located): boolean {
    const shared = this.taken.get(plain(old.block.name));
    return shared !== undefined && shared.reading.file.status === 'added';
  }
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** Finds tests by the lines in them. */
class Bodies {
  private readonly byLine = new Map<string, Located[]>();

  constructor(tests: readonly Located[]) {
    for (const test of tests) {
      for (const line of bodyOf(test)) {
        const same = this.byLine.get(line);
        if (same === undefined) this.byLine.set(line, [test]);
        // What stands in many tests tells none from the others.
        else if (same.length < 20) same.push(test);
      }
    }
  }

  /** The test that has at least half of the lines. */
  closest(old: Located): Located | undefined {
    const counts = new Map<Located, number>();
    const body = bodyOf(old);
    for (const line of body) {
      for (const test of this.byLine.get(line) ?? []) counts.set(test, (counts.get(test) ?? 0) + 1);
    }
    let best: Located | undefined;
    for (const [test, count] of counts)
      if (count > (best === undefined ? 0 : (counts.get(best) ?? 0))) best = test;
    return best !== undefined && (counts.get(best) ?? 0) * 2 >= body.length ? best : undefined;
  }
}

/** Finds tests of the same file by what their assertions are about, or by most words of their names. */
class Subjects {
  private readonly byPlace = new Map<string, Located>();

  constructor(tests: readonly Located[]) {
    for (const test of tests) for (const key of keysOf(test)) this.byPlace.set(key, test);
  }

  closest(old: Located): Located | undefined {
    const found = keysOf(old).map((key) => this.byPlace.get(key));
    return found.find((test) => test !== undefined);
  }
}

function keysOf({ reading, version, block }: Located): readonly string[] {
  const stated = assertionsIn({ reading, version, block });
  const calls = stated.map(({ subject }) => subject).filter((subject) => /\w\(\S+\)/.test(subject));
  return calls.map((subject) => `${reading.path}:${subject}`);
}
