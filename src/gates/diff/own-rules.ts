import type { FileDiff, GateHit } from '../../steering/shapes/attempt-result.ts';
import type { GateSettings, OwnRule } from '../../steering/shapes/settings.ts';
import { shortened } from '../../text/characters.ts';
import { pathGlobFrom } from '../../text/globs.ts';
import { PatternProblem, patternFrom } from '../../text/pattern/pattern.ts';
import { type Command, isOption, operandsOf, programOf, startsWith } from '../commands/shell-command.ts';
import type { Patch, PatchLine } from '../reading/patch.ts';
import { hitAt } from '../reading/rules.ts';

interface Rule {
  readonly rule: OwnRule;
  matches(text: string): boolean;
}

/** The rules of owners are read once for many files and commands. */
interface OwnRules {
  readonly commands: readonly (CommandWords & { readonly rule: OwnRule })[];
  readonly paths: readonly Rule[];
  readonly contents: readonly Rule[];
  /** Whether a path is critical whatever changes in it. */
  isCritical(path: string): boolean;
}

const known = new WeakMap<GateSettings, OwnRules>();

export function ownRules(gates: GateSettings): OwnRules {
  const read = known.get(gates) ?? compiled(gates);
  known.set(gates, read);
  return read;
}

function compiled({ critical_paths, rules }: GateSettings): OwnRules {
  const globs = critical_paths.map((glob) => pathGlobFrom(glob));
  return {
    commands: rules.flatMap((rule) => {
      return rule.command === undefined ? [] : [{ rule, ...commandWords(rule.command) }];
    }),
    paths: rules.flatMap((rule) => {
      return rule.path === undefined ? [] : [{ rule, matches: pathGlobFrom(rule.path).matches }];
    }),
    contents: rules.flatMap((rule) => {
      return rule.content === undefined ? [] : [{ rule, matches: searchFor(rule.content) }];
    }),
    isCritical: (path) => globs.some(({ matches }) => matches(path)),
  };
}

/** A pattern of another version that cannot be read here stops everything rather than nothing. */
function searchFor(pattern: string): (text: string) => boolean {
  try {
    const search = patternFrom(pattern);
    return (text) => search.isIn(text);
  } catch (problem) {
    if (problem instanceof PatternProblem) return () => true;
    throw problem;
  }
}

const maxEvidence = 300;

/** Makes a hit of an owners' rule. */
export function ownHit(
  { name, severity }: OwnRule,
  what: string,
  { path, line }: { readonly path?: string; readonly line?: number } = {},
): GateHit {
  const where = line === undefined ? path : `${path}:${line}`;
  const text = shortened(what.trim(), maxEvidence);
  return {
    rule: name,
    severity,
    evidence: where === undefined ? text : `${where}: ${text}`,
    ...(path !== undefined && { path }),
    ...(line !== undefined && { line }),
    allows: `what the rule ${name} of this repository is there to stop takes effect`,
  };
}

/** Leaves out the rules that the owners switched off, and takes their severities. */
export function tuned(hits: readonly GateHit[], gates: GateSettings | undefined): readonly GateHit[] {
  if (gates === undefined) return hits;
  const off = new Set(gates.off.map(({ rule }) => rule));
  return hits
    .filter(({ rule }) => rule === 'unjudged' || !off.has(rule))
    .map((hit) => ({ ...hit, severity: severityOf(hit, gates) }));
}

/** What has not been judged could be anything. */
function severityOf({ rule, severity }: GateHit, gates: GateSettings): GateHit['severity'] {
  return rule === 'unjudged' ? severity : (gates.severity[rule] ?? severity);
}

interface CommandWords {
  /** The first word, or its beginning where it has an asterisk; in small letters. */
  readonly program: string;
  matches(command: Command): boolean;
}

/**
 * A command matches if it begins with these words: `deploy prod` is in `deploy prod --now` and in
 * `./bin/deploy --verbose prod`. Options among the words must be there, wherever they are.
 */
function commandWords(words: readonly string[]): CommandWords {
  const [first = '', ...rest] = words;
  const options = rest.filter(isOption).map(matcher);
  const operands = operandsOf(rest).map(matcher);
  const isProgram = matcher(programOf(first));
  return {
    program: programOf(first).split('*', 1)[0] ?? '',
    matches: ({ args, program }) =>
      isProgram(program) && options.every((matches) => args.some(matches)) && startsWith(args, operands),
  };
}

/** `*` is any text; nothing else is special. */
function matcher(word: string): (text: string) => boolean {
  const pieces = word.split('*');
  const [first = ''] = pieces;
  const last = pieces.at(-1) ?? '';
  return (text) => {
    if (pieces.length === 1) return text === word;
    if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length)
      return false;
    let at = first.length;
    for (const piece of pieces.slice(1, -1)) {
      const found = text.indexOf(piece, at);
      if (found < 0) return false;
      at = found + piece.length;
    }
    return at <= text.length - last.length;
  };
}

/** Finds the files that the owners' rules about paths are about, and those that they call critical. */
export function ownPathHits(
  { path, previous_path, status }: FileDiff,
  gates: GateSettings,
): readonly GateHit[] {
  const own = ownRules(gates);
  const names = previous_path === undefined ? [path] : [path, previous_path];
  const critical = names.find((name) => own.isCritical(name));
  const byPath = own.paths.flatMap(({ rule, matches }) => {
    const name = names.find(matches);
    return name === undefined ? [] : [ownHit(rule, status, { path: name })];
  });
  return [...(critical === undefined ? [] : [hitAt('critical-task', { path: critical }, status)]), ...byPath];
}

/** More is not read of one file: with a hostile pattern, each character takes a while. */
const maxCharacters = 4 * 1024 * 1024;
const maxLine = 20_000;
const maxHits = 5;

/** Finds added lines that the owners' patterns match. */
export function ownContentHits({ added, change: { path } }: Patch, gates: GateSettings): readonly GateHit[] {
  const { contents } = ownRules(gates);
  if (contents.length === 0) return [];
  const { isWhole, lines } = readable(added);
  const hits = contents.flatMap(({ matches, rule }) => {
    const found = lines.filter(({ text }) => matches(text)).slice(0, maxHits);
    return found.map(({ number, text }) => ownHit(rule, text, { path, line: number }));
  });
  const rest = hitAt('unparsable', { path }, 'too long to look for what the rules of this repository say');
  return isWhole ? hits : [...hits, rest];
}

function readable(added: readonly PatchLine[]) {
  let left = maxCharacters;
  const lines: PatchLine[] = [];
  for (const line of added) {
    left -= line.text.length;
    if (left < 0 || line.text.length > maxLine) return { lines, isWhole: false };
    lines.push(line);
  }
  return { lines, isWhole: true };
}
