import { verifyingCommands } from './commands.ts';
import type { WeakenedTest } from './finding.ts';
import type { FileReading, Version } from './reading.ts';
import type { SourceLine } from './source-line.ts';

/** The jobs that one job of a workflow waits for. */
interface Waits {
  /** Empty if the diff does not show it. */
  readonly job: string;
  readonly names: readonly string[];
  readonly line: SourceLine;
}

/** Jobs that verify the work, and that something no longer waits for although they are still there. */
export function lostDependencies({ path, language, old, new: next }: FileReading): readonly WeakenedTest[] {
  if (language.family !== 'yaml') return [];
  const after = waitsIn(next);
  const left = [...after];
  return waitsIn(old).flatMap((was) => {
    const at = left.findIndex(
      ({ job, line }) => (job === was.job && job !== '') || line.hunk === was.line.hunk,
    );
    const now = at < 0 ? undefined : left.splice(at, 1)[0];
    const lost = was.line.changed ? lostName(was, { now, after, old, next }) : undefined;
    if (lost === undefined) return [];
    const evidence = `${was.job === '' ? 'a job' : `\`${was.job}\``} no longer waits for \`${lost}\``;
    return [
      { path, line: was.line.number, side: 'old' as const, what: 'narrowed-selection' as const, evidence },
    ];
  });
}

interface Afterwards {
  readonly now: Waits | undefined;
  readonly after: readonly Waits[];
  readonly old: Version;
  readonly next: Version;
}

function lostName(was: Waits, { now, after, old, next }: Afterwards): string | undefined {
  // Jobs that verify may run side by side, and a job that is gone needs nothing.
  if (verifying.test(was.job) || (now === undefined && isGone(was.job, old, next))) return undefined;
  const names = now?.names ?? [];
  // What takes the place of a job is not known to verify less.
  if (names.some((name) => !was.names.includes(name) && verifying.test(name))) return undefined;
  const reached = new Set(names);
  for (const name of reached)
    for (const { job, names: further } of after)
      if (job === name) for (const each of further) reached.add(each);
  return was.names.find(
    (name) =>
      !reached.has(name) && !isGone(name, old, next) && (verifying.test(name) || runsTests(name, next)),
  );
}

const verifying =
  /tests?\b|e2e|lint|check|unit|integration|spec|verif|types?\b|quality|audit|accept|smoke|\b(?:ci|qa)\b/i;

function isGone(job: string, old: Version, next: Version): boolean {
  const declares = ({ text }: SourceLine) => text.trim().replace(/\s*:$/, '') === job && /:\s*$/.test(text);
  return old.lines.some((line) => line.changed && declares(line)) && !next.lines.some(declares);
}

function runsTests(job: string, { lines }: Version): boolean {
  const head = lines.findIndex(({ text }) => text.trim() === `${job}:`);
  const first = lines[head];
  if (first === undefined) return false;
  for (const line of lines.slice(head + 1)) {
    if (line.hunk !== first.hunk || (!line.blank && line.indent <= first.indent)) return false;
    if (verifyingCommands(line.text).length > 0) return true;
  }
  return false;
}

const key = /^\s*-?\s*(?:needs|requires|dependsOn|dependencies|depends_on)\s*:\s*(.*)$/;

function waitsIn({ lines }: Version): readonly Waits[] {
  return lines.flatMap((line, index) => {
    const given = key.exec(line.text)?.[1];
    if (given === undefined || line.blank) return [];
    const names = given.trim() === '' ? itemsBelow(lines, index) : given.replace(/[[\]"'\s]/g, '').split(',');
    return [{ job: jobAround(lines, index), names: names.filter((name) => name !== ''), line }];
  });
}

function itemsBelow(lines: readonly SourceLine[], index: number): readonly string[] {
  const items: string[] = [];
  for (const { text } of lines.slice(index + 1, index + 40)) {
    const item = /^\s*-\s+(?:job:\s*)?["']?([\w.-]+)["']?\s*$/.exec(text)?.[1];
    if (item === undefined) break;
    items.push(item);
  }
  return items;
}

/** The key that a line stands under. */
function jobAround(lines: readonly SourceLine[], index: number): string {
  const own = lines[index];
  for (let at = index - 1; own !== undefined && at >= 0; at--) {
    const above = lines[at];
    if (above === undefined || above.hunk !== own.hunk) break;
    if (!above.blank && above.indent < own.indent)
      return /^\s*-?\s*["']?([\w.-]+)["']?\s*:\s*$/.exec(above.text)?.[1] ?? '';
  }
  return '';
}
