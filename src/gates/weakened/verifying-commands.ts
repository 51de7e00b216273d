import { commandsIn, type Found } from './command-lines.ts';
import { type Verified, type VerifyingCommand, verifyingCommands } from './commands.ts';
import { expressionsIn, newlyLeftOut } from './deselection.ts';
import type { WeakenedTest, Weakening } from './finding.ts';
import { lostStrictness } from './kept-strict.ts';
import type { FileReading } from './reading.ts';
import { newlySelects } from './selection.ts';
import type { SourceLine } from './source-line.ts';

/** Commands that verify the work, in CI, scripts and lists of scripts: gone, narrowed, or made to succeed. */
export function weakenedCommands(readings: readonly FileReading[]): readonly WeakenedTest[] {
  const automation = readings.filter(isRead);
  const removed = automation.flatMap((reading) => commandsIn(reading, 'old', true));
  const added = automation.flatMap((reading) => commandsIn(reading, 'new', true));
  const kept = automation.flatMap((reading) => commandsIn(reading, 'new', false));
  const found = pair(removed, added, kept);
  const lines = automation.flatMap((reading) => [...forcedLines(reading), ...unset(reading)]);
  return [...found, ...lines];
}

/** Tests may be run by scripts among them, and shell scripts are read wherever they are. */
function isRead({ role, language, path }: FileReading): boolean {
  return role === 'automation' || (language.family === 'shell' && !/\.bats$/.test(path));
}

function pair(
  removed: readonly Found[],
  added: readonly Found[],
  kept: readonly Found[],
): readonly WeakenedTest[] {
  const left = new Set(added);
  const leavesOut = narrower(removed, [...added, ...kept]);
  const elsewhere = new Elsewhere([...added, ...kept]);
  const [before, after] = [counted(removed), counted(added)];
  const found = removed.flatMap((old) => {
    const { verified } = old.command;
    const candidates = first(left).filter(({ command }) => command.verified === verified);
    const next = closest(old, candidates);
    if (next === undefined) return isReused(old) || elsewhere.has(old) ? [] : [gone(old)];
    left.delete(next);
    const isSplit = (after.get(verified) ?? 0) > (before.get(verified) ?? 0);
    const changes = compare(old, next, isSplit);
    return changes.length > 0 ? changes : leavesOut(next, old);
  });
  // Of commands that are split off, each may leave something out.
  const kinds = new Set(removed.map(({ command }) => command.verified));
  return [
    ...found,
    ...first(left)
      .filter(({ command }) => kinds.has(command.verified))
      .flatMap((next) => leavesOut(next)),
  ];
}

/** Nobody compares more commands than this with each other. */
const maxCompared = 200;

function first(left: ReadonlySet<Found>): readonly Found[] {
  const found: Found[] = [];
  for (const each of left) {
    if (found.length >= maxCompared) break;
    found.push(each);
  }
  return found;
}

function counted(commands: readonly Found[]): ReadonlyMap<Verified, number> {
  const counts = new Map<Verified, number>();
  for (const { command } of commands) counts.set(command.verified, (counts.get(command.verified) ?? 0) + 1);
  return counts;
}

/** Tells what a command leaves out that no other one runs. */
function narrower(
  removed: readonly Found[],
  others: readonly Found[],
): (next: Found, old?: Found) => readonly WeakenedTest[] {
  const before = new Set(removed.slice(0, maxCompared).map(wholeText).flatMap(expressionsIn));
  const near = others.slice(0, maxCompared);
  return (next, old) => {
    const beside = () => near.filter(({ line }) => line !== next.line).map(wholeText);
    const lost = newlyLeftOut(before, wholeText(next), beside);
    if (lost !== undefined) return [reported(next, 'narrowed-selection', `leaves out \`${lost}\``)];
    const dropped =
      old === undefined ? undefined : lostStrictness(old.command.words, next.command.words, beside());
    return dropped === undefined ? [] : [reported(next, 'narrowed-selection', `goes without \`${dropped}\``)];
  };
}

/** With what stands in the line around a command, which may select as well. */
function wholeText({ line, command }: Found): string {
  return `${line.text} ${command.text}`;
}

function closest(old: Found, candidates: readonly Found[]): Found | undefined {
  const words = new Set(old.command.words);
  const score = ({ command, reading }: Found) =>
    command.words.filter((word) => words.has(word)).length + (reading === old.reading ? 1 : 0);
  let best: Found | undefined;
  for (const each of candidates) if (best === undefined || score(each) > score(best)) best = each;
  return best;
}

/** A workflow or an action that others share runs it now. */
function isReused({ reading }: Found): boolean {
  const shared = /^\s*-?\s*uses:\s*\S*(?:workflows|actions)\/\S*(?:tests?|ci|check|lint|verify|build)/i;
  return reading.new.lines.some(({ changed, text }) => changed && shared.test(text));
}

/** Commands that still run, or were added, sorted, so that one of many is found by how it begins. */
class Elsewhere {
  private readonly texts: readonly string[];
  /** What a tool verifies that does what several others did. */
  private readonly whole: ReadonlySet<Verified>;

  constructor(others: readonly Found[]) {
    const commands = others.map(({ command }) => command);
    const several = commands.filter(({ text, verifies }) => verifies.length > 1 || isAllInOne.test(text));
    this.whole = new Set(several.flatMap(({ verifies }) => verifies));
    const texts = commands.flatMap((command) => {
      const forms = [command.words.join(' '), plainWords(command).join(' ')];
      return command.verifies.flatMap((verified) => forms.map((form) => `${verified} ${form}`));
    });
    this.texts = [...new Set(texts)].sort();
  }

  /** The same command, or another of its kind. */
  has({ command }: Found): boolean {
    if (this.whole.has(command.verified)) return true;
    const start = `${command.verified} ${plainWords(command).slice(0, 3).join(' ')}`;
    let [low, high] = [0, this.texts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.texts[middle] ?? '') < start) low = middle + 1;
      else high = middle;
    }
    return this.texts[low]?.startsWith(start) ?? false;
  }
}

/** Tools that do what several others did. */
const isAllInOne = /\b(?:biome|pre-commit|tox|nox|ruff)\b/;

function plainWords({ words }: VerifyingCommand): readonly string[] {
  return words.filter((word) => !word.startsWith('-'));
}

function gone({ reading, line, command }: Found): WeakenedTest {
  const evidence = `\`${command.text.slice(0, 120)}\` is not run any more`;
  return { path: reading.path, line: line.number, side: 'old', what: 'forced-success', evidence };
}

function compare(old: Found, next: Found, isSplit: boolean): readonly WeakenedTest[] {
  const report = (what: Weakening, text: string) => reported(next, what, text);
  if (succeedsAnyway(next.command) && !succeedsAnyway(old.command)) {
    return [report('forced-success', 'succeeds whatever it finds')];
  }
  if (isIgnored(next) && !isIgnored(old)) return [report('forced-success', 'succeeds whatever it finds')];
  const selects = newlySelects(old.command, next.command, isSplit);
  return selects === undefined ? [] : [report(selects.what, selects.says)];
}

function reported({ reading, line }: Found, what: Weakening, text: string): WeakenedTest {
  const evidence = `${text}: \`${line.text.trim().slice(0, 140)}\``;
  return { path: reading.path, line: line.number, side: 'new', what, evidence };
}

function succeedsAnyway({ after: behind, words }: VerifyingCommand): boolean {
  // What the output is piped into changes nothing of what comes after it.
  const after = behind.replace(/^(?:\|(?!\|)[^|;&]*)+(?=\|\|)/, '');
  if (/^\|\|\s*(?:true|:|exit\s+0|echo\b|printf\b|\(?exit 0\)?|\/bin\/true|return\s+0)/.test(after)) {
    return !/\bexit\s+[1-9]|\bfalse\b/.test(after);
  }
  return /^;\s*(?:true|:|exit\s+0|echo\b[^;&|]*)\s*["']?\s*$/.test(after) || words.includes('||true');
}

/** A dash in front, as Make and tox know it. */
function isIgnored({ reading, line }: Found): boolean {
  if (/(?:^|\/)tox\.ini$|\.toml$|\.cfg$/.test(reading.path))
    return /^\s*(?:commands\w*\s*=\s*)?-\s/.test(line.text);
  return reading.language.family === 'make' && /^\s+@?-/.test(line.text);
}

const ends = /^\s*(?:exit\s+0|true|:|return\s+0)\s*$/;

/** Lines of their own behind a verifying command. */
function forcedLines({ path, new: { lines }, old }: FileReading): readonly WeakenedTest[] {
  const wasHere = new Set(old.lines.filter(({ changed }) => changed).map(({ text }) => text.trim()));
  const rewrites = old.lines.some(({ changed, text }) => changed && verifyingCommands(text).length > 0);
  return lines.flatMap((line, index) => {
    if (!line.changed || wasHere.has(line.text.trim())) return [];
    const near = lines.slice(Math.max(0, index - 12), index + 13).filter(({ hunk }) => hunk === line.hunk);
    const verifies =
      near.some(({ text, changed }) => (rewrites || !changed) && verifyingCommands(text).length > 0) ||
      path.includes('test');
    const isForced = forces(lines, index) && verifies;
    if (!isForced) return [];
    const evidence = `what fails before or after this does not count: \`${line.text.trim().slice(0, 120)}\``;
    return [{ path, line: line.number, side: 'new' as const, what: 'forced-success' as const, evidence }];
  });
}

function forces(lines: readonly SourceLine[], index: number): boolean {
  const line = lines[index];
  if (line === undefined) return false;
  const above = lines.slice(Math.max(0, index - 3), index).findLast(({ blank }) => !blank);
  if (ends.test(line.code)) {
    const before = lines.slice(Math.max(0, index - 8), index);
    const isBehind = before.some(({ text }) => verifyingCommands(text).length > 0);
    return (
      isBehind &&
      !/(?:\bthen|\{|\belse|;;|\))\s*$/.test(above?.code ?? '') &&
      above !== undefined &&
      above.indent <= line.indent
    );
  }
  if (!/^\s*(?:-\s+(?:run:\s*)?)?set\s+\+e\b|^\s*trap\s+["'](?:exit 0|true|:)["']/.test(line.text))
    return false;
  // The status is looked at afterwards.
  return !lines
    .slice(index, index + 20)
    .some(({ text, hunk }) => hunk === line.hunk && /\$\?|\bstatus=|PIPESTATUS/.test(text));
}

/** `set -e` that is gone. */
function unset({ path, old, new: next }: FileReading): readonly WeakenedTest[] {
  const strict = /^\s*set\s+-[a-z]*e[a-z]*\b|^\s*set\s+-o\s+(?:errexit|pipefail)/;
  if (next.lines.some(({ changed, code }) => changed && strict.test(code))) return [];
  const line = old.lines.find(({ changed, code }) => changed && strict.test(code));
  const isGone = line === undefined || !next.lines.some(({ changed }) => !changed);
  const runsTests = () =>
    [...old.lines, ...next.lines].some(({ text }) => verifyingCommands(text).length > 0);
  if (isGone || !runsTests()) return [];
  const evidence = `a failing command no longer ends this: \`${line.text.trim()}\` is gone`;
  return [{ path, line: line.number, side: 'old', what: 'forced-success', evidence }];
}
