import { anyOf } from '../../text/pattern/any-of.ts';
import type { SourceLine } from './source-line.ts';

/** Whether lines do the same as those they replace: only what is logged, or only own names differ. */
export function actsAlike(removed: readonly SourceLine[], added: readonly SourceLine[]): boolean {
  const [before, after] = [removed.filter(acts), added.filter(acts)];
  return joined(before) === joined(after) || isRenaming(tokensOf(before), tokensOf(after));
}

/** However it is spread over lines, with or without a comma after the last of several. */
function joined(lines: readonly SourceLine[]): string {
  return lines
    .map(({ key }) => key)
    .join(',')
    .replace(/,+(?=[)\]}.?:&|+])|(?<=[([{]),+/g, '');
}

const logging = anyOf([
  String.raw`^\s*(?:console\.(?:log|debug|info|warn)|debug|(?:debug|trace|info|warn|error)!)\s*\(.*\);?\s*$`,
  String.raw`^\s*(?:(?:this|self)\.)?_?(?:log|logger|logging|LOG|LOGGER|slog|tracing|Rails\.logger)(?:\.|::)\w+!?\s*\(.*\);?\s*$`,
]);

/** A whole statement that only logs does nothing that a result depends on. */
function acts({ code }: SourceLine): boolean {
  return !logging.test(code);
}

const longest = 4_000;

function tokensOf(lines: readonly SourceLine[]): readonly string[] {
  const token = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`|[A-Za-z_$][\w$]*|\d[\w.]*|[^\s;]/g;
  return lines.slice(0, longest).flatMap(({ text }) => text.match(token) ?? []);
}

/** The same code with other names for what it declares itself. */
function isRenaming(before: readonly string[], after: readonly string[]): boolean {
  if (before.length !== after.length || before.length === 0) return false;
  const names = new Map<string, string>();
  const [olds, news] = [new Set(before), new Set(after)];
  for (const [at, old] of before.entries()) {
    const next = after[at] ?? '';
    const known = names.get(old);
    if (known !== undefined ? known !== next : old === next) {
      if (known !== undefined) return false;
      continue;
    }
    if (known === next) continue;
    const areNames = /^[A-Za-z_$]/.test(old) && /^[A-Za-z_$]/.test(next);
    if (!areNames || olds.has(next) || news.has(old) || !isOwn(before, old)) return false;
    names.set(old, next);
  }
  return true;
}

/** A name that the code declares, and no method or field of something else. */
function isOwn(tokens: readonly string[], name: string): boolean {
  const places = tokens.flatMap((token, at) => (token === name ? [at] : []));
  const isPart = places.some((at) => tokens[at - 1] === '.' && !/^(?:this|self)$/.test(tokens[at - 2] ?? ''));
  const declares = /^(?:const|let|var|val|mut|def|func|fn|fun|function|class|for)$/;
  return !isPart && (places.length > 1 || places.some((at) => declares.test(tokens[at - 1] ?? '')));
}

/** The words in which messages differ, if nothing else does; undefined if more changes than messages. */
export function reworded(
  removed: readonly SourceLine[],
  added: readonly SourceLine[],
): ReadonlySet<string> | undefined {
  const code = (lines: readonly SourceLine[]) => lines.map((line) => line.code.replace(/\s+/g, '')).join('');
  if (removed.length === 0 || code(removed) !== code(added)) return undefined;
  const strings = (lines: readonly SourceLine[]) =>
    new Set(lines.flatMap(({ text }) => text.match(/"[^"]*"|'[^']*'|`[^`]*`/g) ?? []));
  const [before, after] = [strings(removed), strings(added)];
  const changed = [...before]
    .filter((each) => !after.has(each))
    .concat([...after].filter((each) => !before.has(each)));
  if (changed.length === 0 || !changed.every(isMessage) || !changed.some((each) => each.includes(' ')))
    return undefined;
  const words = (texts: ReadonlySet<string>) =>
    new Set([...texts].flatMap((each) => each.match(/[A-Za-z]{3,}/g) ?? []));
  const [old, next] = [words(before), words(after)];
  return new Set(
    [...old].filter((word) => !next.has(word)).concat([...next].filter((word) => !old.has(word))),
  );
}

/** For people: no query, no pattern, no path. */
function isMessage(literal: string): boolean {
  const isQuery = /\b(?:select|insert into|update \w+ set|delete from|where|order by|join)\b/i.test(literal);
  return !isQuery && /^["'`][\w%{}$.,:;!?'()\s-]*["'`]$/.test(literal);
}
