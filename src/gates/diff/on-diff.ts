import type { FileChange, FileDiff, GateHit } from '../../steering/attempt-result.ts';
import { pathRules } from '../path-rules/index.ts';
import { hitAt, type RuleName, rules } from '../rules.ts';
import { weakenedTests } from '../weakened/index.ts';
import { contentHits } from './content.ts';

/** What is known besides the diff. */
export interface DiffOptions {
  /** Globs of test files, in place of the usual layouts. */
  readonly tests?: readonly string[];
}

/** A diff; of a file without a body, only the paths speak. */
interface Diff {
  readonly summary: string;
  readonly files: readonly FileDiff[];
}

/**
 * What in a change needs a human whatever the confidence: by the paths, and by what is added, as far as the
 * bodies are there. Answers at once, in linear time, and never throws.
 */
export function gatesOnDiff({ files }: Diff, { tests }: DiffOptions = {}): readonly GateHit[] {
  return [
    ...files.flatMap((file) => [...deletions(file), ...pathHits(file), ...contentHits(file)]),
    ...testHits(files, tests),
  ];
}

function deletions({ status, path }: FileChange): readonly GateHit[] {
  return status === 'deleted' ? [wholeFile('deletes-files', path, `${path} is deleted`)] : [];
}

/** A renamed file is matched by its old name too: moving a workflow away disables it. */
function pathHits({ path, previous_path, status }: FileChange): readonly GateHit[] {
  const names = previous_path === undefined ? [path] : [path, previous_path];
  return pathRules.flatMap(({ rule, matches }) => {
    const name = names.find(matches);
    return name === undefined ? [] : [wholeFile(rule, name, `${name} is ${status}`)];
  });
}

function testHits(files: readonly FileDiff[], tests: DiffOptions['tests']): readonly GateHit[] {
  return weakenedTests(files, tests === undefined ? {} : { tests }).map(({ path, line, side, evidence }) => {
    const rule = 'weakens-tests';
    if (line === 0) return wholeFile(rule, path, evidence);
    return hitAt(rule, { path, ...(side === 'new' && { line }) }, evidence);
  });
}

function wholeFile(rule: RuleName, path: string, evidence: string): GateHit {
  const { severity, allows } = rules[rule];
  return { rule, severity, evidence, path, allows };
}
