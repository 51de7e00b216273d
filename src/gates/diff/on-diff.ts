import type { FileChange, FileDiff, GateHit } from '../../steering/shapes/attempt-result.ts';
import { type GateRule, gateRuleNames } from '../../steering/shapes/gate-rules.ts';
import type { GateSettings } from '../../steering/shapes/settings.ts';
import { counted } from '../../text/amounts.ts';
import { ownPathHits } from '../own/on-diff.ts';
import { tuned } from '../own/own-rules.ts';
import { isCommittedTool } from '../path-rules/automation.ts';
import { touchesSecrets } from '../path-rules/secrets.ts';
import { isGenerated, isInert } from '../reading/kinds.ts';
import { hitAt, rules } from '../reading/rules.ts';
import { isDone } from '../reading/work.ts';
import { type Finding, type ProofFacts, readTests } from '../weakened/index.ts';
import { contentHits } from './content.ts';
import { type AddedText, remoteCode } from './remote-code.ts';

/** What is known besides the diff. */
export interface DiffOptions {
  /** Globs of test files, in place of the usual layouts. */
  readonly tests?: readonly string[];
  /** What the owners of the repository say. */
  readonly gates?: GateSettings;
  /** Somebody marked the task as critical. */
  readonly isCritical?: boolean;
  /** How many lines may change; absent: any number. */
  readonly diff_lines?: number;
  /** Whether files are generated, of those of which the repository says so. */
  readonly generated?: ReadonlyMap<string, boolean>;
  /** Files that decide what is verified here, besides those that do so everywhere. */
  readonly deciding?: readonly string[];
  /** Whether a file is a setting of an agent, which is guarded like other automation. */
  isAgentSetting?(path: string): boolean;
  /** What running the tests against the base has shown; absent if nothing was run. */
  readonly proof?: ProofFacts;
}

/** A diff; of a file without a body, only the paths speak. */
interface Diff {
  readonly summary: string;
  readonly files: readonly FileDiff[];
}

/**
 * What in a change needs a human whatever the confidence: by the paths, and by what is added, as far as the
 * bodies are there. Answers within a bound of work, which is a hit of its own if it is passed; never throws.
 */
export function gatesOnDiff({ files }: Diff, options: DiffOptions = {}): readonly GateHit[] {
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

const unjudged: GateHit = {
  rule: 'unjudged',
  severity: rules.unjudged.severity,
  evidence: 'the change is too large to be judged as a whole, or takes too long to judge: split it',
  allows: rules.unjudged.allows,
};

const criticalTask: GateHit = {
  rule: 'critical-task',
  severity: rules['critical-task'].severity,
  evidence: 'the task is marked as critical',
  allows: rules['critical-task'].allows,
};

/** What programs write is not counted: nobody reads it line by line. */
function sizeHits(
  files: readonly FileChange[],
  { diff_lines: most = Number.POSITIVE_INFINITY, generated }: DiffOptions,
): readonly GateHit[] {
  const written = files.filter(({ path }) => !(generated?.get(path) ?? isGenerated(path)));
  const lines = linesIn(written);
  if (lines <= most) return [];
  const rule = 'large-change';
  const { severity, allows } = rules[rule];
  const others = files.length - written.length;
  const without = others === 0 ? '' : `, without ${counted(others, 'generated file')}`;
  const evidence = `${counted(lines, 'line')} in ${counted(written.length, 'file')}${without}: more than the ${most.toLocaleString('en-US')} of \`limits.diff_lines\``;
  return [{ rule, severity, evidence, allows }];
}

/** How many lines are added and deleted. */
export function linesIn(files: readonly FileChange[]): number {
  return files.reduce((sum, { additions, deletions: deleted }) => sum + additions + deleted, 0);
}

function deletions({ status, path }: FileChange): readonly GateHit[] {
  return status === 'deleted' ? [wholeFile('deletes-files', path, `${path} is deleted`)] : [];
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
    return name === undefined ? [] : [wholeFile(rule, name, `${name} is ${status}`)];
  });
}

function testHits(files: readonly FileDiff[], options: DiffOptions): readonly GateHit[] {
  return readTests(files, options).findings.map(({ path, line, side, evidence }) => {
    const rule = 'weakens-tests';
    if (line === 0) return wholeFile(rule, path, evidence);
    return hitAt(rule, side === 'new' ? { path, line } : { path, formerLine: line }, evidence);
  });
}

/** What may weaken tests as far as reading shows it: told to people, and no gate. */
export function remarksOnTests(files: readonly FileDiff[], options: DiffOptions = {}): readonly string[] {
  const isOff = options.gates?.off?.some(({ rule }) => rule === 'weakens-tests') ?? false;
  const remarks: Finding[] = [];
  if (!isOff) isDone(() => remarks.push(...readTests(files, options).remarks));
  return remarks.map(({ path, line, side, evidence }) => {
    const where = side === 'new' ? `${path}:${line}` : `${path} (line ${line} before the change)`;
    return `${line === 0 ? path : where}: ${evidence}`;
  });
}

function wholeFile(rule: GateRule, path: string, evidence: string): GateHit {
  const { severity, allows } = rules[rule];
  return { rule, severity, evidence, path, allows };
}

/** A file that was moved, with all of its lines. */
interface MovedText extends AddedText {
  readonly previous_path: string;
  /** There is more than these lines. */
  readonly cut: boolean;
}

/**
 * What files hit where they are now. A rule that a file's lines hit under the former name as well is left
 * out, for nothing has changed in that; but not what runs a download, which may have run nowhere before.
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

/** Files with secrets among those that a program has read. */
export function gatesOnReading(paths: readonly string[], gates?: GateSettings): readonly GateHit[] {
  const rule = 'touches-secrets';
  const { severity } = rules[rule];
  const read = paths.filter(touchesSecrets.matches);
  return tuned(
    read.map((path) => ({ rule, severity, evidence: `${path} is read` })),
    gates,
  );
}
