import type { FileChange, FileDiff, GateHit } from '../steering/shapes/attempt-result.ts';
import { type CallRule, type GateRule, gateRuleNames } from '../steering/shapes/gate-rules.ts';
import type { GateSettings } from '../steering/shapes/settings.ts';
import { counted } from '../text/amounts.ts';
import { shortened } from '../text/characters.ts';
import { rulesOf } from './commands/command-rules.ts';
import { type Command, type Known, textOf, withoutMarks } from './commands/shell-command.ts';
import { follow } from './commands/walk.ts';
import { type AddedText, contentHits, remoteCode } from './diff/added-lines.ts';
import { ownHit, ownPathHits, ownRules, tuned } from './diff/own-rules.ts';
import { isCommittedTool, isGenerated, isInert, touchesSecrets } from './reading/file-kinds.ts';
import { hitAt, rules } from './reading/rules.ts';
import { isDone } from './reading/work-limit.ts';
import { type Finding, type ReadingOptions, readTests } from './weakened/index.ts';

export interface DiffOptions extends Known, ReadingOptions {
  /** Somebody marked the task as critical. */
  readonly isCritical?: boolean;
  /** How many lines may change; absent: any number. */
  readonly diff_lines?: number;
  /** Whether files are generated, of those of which the repository says so. */
  readonly generated?: ReadonlyMap<string, boolean>;
  /** Files that decide what is verified here, besides those that do so everywhere. */
  readonly deciding?: readonly string[];
}

/**
 * Finds what in a change needs a human whatever the confidence: by the paths, and by what is added, as far as
 * the bodies are there; of a file without one, only its path speaks. Answers within a bound of work, which is
 * a hit of its own if it is passed; never throws.
 */
export function gatesOnDiff(files: readonly FileDiff[], options: DiffOptions = {}): readonly GateHit[] {
  const { gates, isCritical = false } = options;
  const hits = [...(isCritical && files.length > 0 ? [criticalTask] : []), ...sizeHits(files, options)];
  for (const file of files) {
    hits.push(...deletions(file), ...pathHits(file, options));
    if (gates !== undefined) hits.push(...ownPathHits(file, gates));
  }
  const isJudged = isDone(() => {
    for (const file of files) hits.push(...contentHits(file, gates));
    hits.push(...testHits(files, options));
  });
  return tuned([...hits, ...(isJudged ? [] : [unjudged])], gates);
}

const unjudged = wholeHit(
  'unjudged',
  'the change is too large to be judged as a whole, or takes too long to judge: split it',
);

const criticalTask = wholeHit('critical-task', 'the task is marked as critical');

/** What programs write is not counted: nobody reads it line by line. */
function sizeHits(
  files: readonly FileChange[],
  { diff_lines: most = Number.POSITIVE_INFINITY, generated }: DiffOptions,
): readonly GateHit[] {
  const written = files.filter(({ path }) => !(generated?.get(path) ?? isGenerated(path)));
  const lines = linesIn(written);
  if (lines <= most) return [];
  const others = files.length - written.length;
  const without = others === 0 ? '' : `, without ${counted(others, 'generated file')}`;
  const evidence = `${counted(lines, 'line')} in ${counted(written.length, 'file')}${without}: more than the ${most.toLocaleString('en-US')} of \`limits.diff_lines\``;
  return [wholeHit('large-change', evidence)];
}

/** Counts how many lines are added and deleted. */
export function linesIn(files: readonly FileChange[]): number {
  return files.reduce((sum, { additions, deletions: deleted }) => sum + additions + deleted, 0);
}

function deletions({ status, path }: FileChange): readonly GateHit[] {
  return status === 'deleted' ? [wholeHit('deletes-files', `${path} is deleted`, path)] : [];
}

/** A renamed file is matched by its old name too: moving a workflow away disables it. */
function pathHits(
  { path, previous_path, status }: FileChange,
  { deciding = [], isAgentSetting = () => false }: DiffOptions,
): readonly GateHit[] {
  const names = previous_path === undefined ? [path] : [path, previous_path];
  return gateRuleNames.flatMap((rule) => {
    const decides = (name: string) =>
      rule === 'changes-automation' &&
      (deciding.includes(name) || isAgentSetting(name) || isCommittedTool(name));
    const name = names.find((one) => rules[rule].paths?.matches(one) || decides(one));
    return name === undefined ? [] : [wholeHit(rule, `${name} is ${status}`, name)];
  });
}

function testHits(files: readonly FileDiff[], options: DiffOptions): readonly GateHit[] {
  return readTests(files, options).findings.map(({ path, line, side, evidence }) => {
    const rule = 'weakens-tests';
    if (line === 0) return wholeHit(rule, evidence, path);
    return hitAt(rule, side === 'new' ? { path, line } : { path, formerLine: line }, evidence);
  });
}

/** People are told what may weaken tests as far as reading shows it; it is no gate. */
export function remarksOnTests(files: readonly FileDiff[], options: DiffOptions = {}): readonly string[] {
  const isOff = options.gates?.off?.some(({ rule }) => rule === 'weakens-tests') ?? false;
  const remarks: Finding[] = [];
  if (!isOff) isDone(() => remarks.push(...readTests(files, options).remarks));
  return remarks.map(({ path, line, side, evidence }) => {
    const where = side === 'new' ? `${path}:${line}` : `${path} (line ${line} before the change)`;
    return `${line === 0 ? path : where}: ${evidence}`;
  });
}

/** A hit that is at no line: it is about a file as a whole, or about the change. */
function wholeHit(rule: GateRule, evidence: string, path?: string): GateHit {
  const { severity, allows } = rules[rule];
  return { rule, severity, evidence, ...(path !== undefined && { path }), allows };
}

/** A file that was moved, with all of its lines. */
interface MovedText extends AddedText {
  readonly previous_path: string;
  /** There is more than these lines. */
  readonly cut: boolean;
}

/**
 * Finds what files hit where they are now. A rule that a file's lines hit under the former name as well is
 * left out, for nothing has changed in that; but not what runs a download, which may have run nowhere before.
 */
export function gatesOnMoves(moved: readonly MovedText[], { gates }: DiffOptions = {}): readonly GateHit[] {
  const hits: GateHit[] = [];
  const isJudged = isDone(() => {
    for (const each of moved) hits.push(...onMove(each, gates));
  });
  return tuned([...hits, ...(isJudged ? [] : [unjudged])], gates);
}

function onMove(moved: MovedText, gates: GateSettings | undefined): readonly GateHit[] {
  const { path, previous_path, lines } = moved;
  const diff = asPatch(moved);
  const file = (name: string): FileDiff => ({
    ...{ path: name, status: 'added', additions: lines.length, deletions: 0, diff },
  });
  const former = isInert(previous_path) ? [] : contentHits(file(previous_path), gates);
  const before = new Set(former.map(({ rule }) => rule));
  const now = contentHits(file(path), gates).filter(({ rule }) => rule !== 'runs-remote-code');
  return [...now.filter(({ rule }) => !before.has(rule)), ...remoteCode(moved)];
}

function asPatch({ lines, cut }: MovedText): string {
  const body = lines.map(({ text }) => `+${text}\n`).join('');
  return `@@ -0,0 +1,${lines.length} @@\n${body}${cut ? '... (truncated)\n' : ''}`;
}

/** Finds which of the files that a program has read hold secrets. */
export function gatesOnReading(paths: readonly string[], gates?: GateSettings): readonly GateHit[] {
  const rule = 'touches-secrets';
  const { severity } = rules[rule];
  const read = paths.filter(touchesSecrets.matches);
  return tuned(
    read.map((path) => ({ rule, severity, evidence: `${path} is read` })),
    gates,
  );
}

/**
 * Finds the rules that a command line for the shell hits, each with the first command that hits it. Only the
 * line is read: what is in a file or on the network is not known. Text that is only an argument hits nothing.
 * Of a line of which only the beginning is known, so that it is not whole, nobody can say what it does.
 */
export function gatesOnCommand(
  line: string,
  { isWhole = true, ...known }: Known & { readonly isWhole?: boolean } = {},
): readonly GateHit[] {
  const { gates } = known;
  const hits = new Map<string, GateHit>();
  const add = (hit: GateHit) => {
    const evidence = shortened(hit.evidence.trim(), maxEvidence);
    if (!hits.has(hit.rule)) hits.set(hit.rule, { ...hit, evidence });
  };
  const finds = (rule: CallRule, evidence: string) => add({ rule, severity: rules[rule].severity, evidence });
  const owners = gates === undefined ? [] : ownRules(gates).commands;
  const command = (one: Command) => {
    for (const rule of rulesOf(one, known)) finds(rule, textOf(one));
    for (const { matches, rule } of owners) if (matches(one)) add(ownHit(rule, textOf(one)));
  };
  follow(withoutMarks(line.replaceAll('\0', '')), { command, finds });
  if (!isWhole) finds('unparsable', `too long to be kept: ${line}`);
  return tuned([...hits.values()], gates);
}

const maxEvidence = 200;
