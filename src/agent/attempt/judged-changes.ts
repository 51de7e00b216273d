import {
  codeFiles,
  type DiffOptions,
  decidingFiles,
  gatesOnDiff,
  gatesOnMoves,
  isCodeFile,
  isTestFile,
  linesIn,
  remarksOnTests,
} from '../../gates/index.ts';
import { generatedFiles } from '../../git/git-index.ts';
import type { Mirror } from '../../git/mirror.ts';
import { summaryOf } from '../../git/patches.ts';
import { addedLines, bodiesBetween } from '../../git/text-diffs.ts';
import { overCommit } from '../../git/untrusted-worktree.ts';
import { isAgentSetting } from '../../profiles/index.ts';
import type { Changes, FileDiff, GateHit } from '../../steering/shapes/attempt-result.ts';
import type { Settings } from '../../steering/shapes/settings.ts';
import { shortened } from '../../text/characters.ts';
import { lineOf } from '../process/child.ts';

/** What is judged: everything from where `head` branched off `base`. */
interface Judging extends Omit<DiffOptions, 'isAgentSetting' | 'generated'> {
  readonly base: string;
  readonly head: string;
}

/** A change with what people should know of it. */
interface JudgedChanges {
  readonly changes: Changes;
  readonly gates: readonly GateHit[];
  /** What may weaken tests, which is no gate. */
  readonly remarks: readonly string[];
}

/**
 * What `head` changed since it branched off `base`, with what in it needs a human. Throws `WorktreeUnusable`
 * for a file that Git does not compare, as one of a gigabyte.
 */
export async function judgedChanges(mirror: Pick<Mirror, 'dir'>, judging: Judging): Promise<JudgedChanges> {
  const { base, head } = judging;
  return overCommit(`Git cannot compare ${head} with ${base}`, () => judgedWith(mirror, judging));
}

async function judgedWith(
  { dir }: Pick<Mirror, 'dir'>,
  { base, head, ...known }: Judging,
): Promise<JudgedChanges> {
  const range = `${base}...${head}`;
  const files = await bodiesBetween(dir, range, isCodeFile);
  // What is not too large with all files need not be counted without some.
  const isLarge = linesIn(files) > (known.diff_lines ?? Number.POSITIVE_INFINITY);
  const generated =
    isLarge &&
    (await generatedFiles(
      dir,
      base,
      files.map(({ path }) => path),
    ));
  const options = { ...known, isAgentSetting, ...(generated && { generated }) };
  const summary = summaryOf(files);
  const moved = await movedCode(dir, { range, files, options });
  // Everything is judged, but a ledger cannot hold a list of any length.
  const found = gatesOnDiff(files, options);
  const gates = [...found, ...moved.filter((hit) => !found.some((each) => isSameHit(each, hit)))];
  const remarks = remarksOnTests(files, options)
    .slice(0, maxRemarks)
    .map((each) => shortened(each, maxRemark));
  return { changes: listed({ files: files.map(withoutBody), summary }), gates: fewest(gates), remarks };
}

/** How many remarks on tests are kept; more would not be read. */
const maxRemarks = 10;
const maxRemark = 300;

interface Moving {
  readonly range: string;
  readonly files: readonly FileDiff[];
  readonly options: DiffOptions;
}

/** Moving a file can make it run: all of its lines are new there. */
async function movedCode(dir: string, { range, files, options }: Moving): Promise<readonly GateHit[]> {
  const former = new Map(files.map(({ path, previous_path = path }) => [path, previous_path]));
  const moved = codeFiles(files.filter(({ status }) => status === 'renamed'));
  const texts = (await addedLines(dir, range, moved)).map((added) => ({
    ...added,
    previous_path: former.get(added.path) ?? added.path,
  }));
  return gatesOnMoves(texts, options);
}

function isSameHit(one: GateHit, other: GateHit): boolean {
  return one.rule === other.rule && one.path === other.path && one.line === other.line;
}

function withoutBody({ diff: _, ...change }: FileDiff): Changes['files'][number] {
  return change;
}

const maxFiles = 3_000;
const maxPathCharacters = 256 * 1024;

function listed({ files, summary }: Changes): Changes {
  let left = maxPathCharacters;
  const cut = files.slice(0, maxFiles).findIndex(({ path, previous_path = '' }) => {
    left -= path.length + previous_path.length;
    return left < 0;
  });
  const kept = files.slice(0, cut === -1 ? maxFiles : cut);
  const omitted = files.length - kept.length;
  return { files: kept, ...(omitted > 0 && { omitted }), summary };
}

const maxHitsOfRule = 100;
const maxEvidence = 1_000;

/** Keeps the first hits of each rule, and says how many more there are. */
function fewest(hits: readonly GateHit[]): readonly GateHit[] {
  const counts = new Map<string, number>();
  const kept = hits.filter(({ rule }) => {
    const count = (counts.get(rule) ?? 0) + 1;
    counts.set(rule, count);
    return count <= maxHitsOfRule;
  });
  const more = [...counts].filter(([, count]) => count > maxHitsOfRule);
  return [
    ...kept.map((hit) => ({ ...hit, evidence: shortened(hit.evidence, maxEvidence) })),
    ...more.flatMap(([rule, count]) => {
      const first = hits.find((hit) => hit.rule === rule);
      return first ? [{ ...first, evidence: `and ${count - maxHitsOfRule} more` }] : [];
    }),
  ];
}

/** What a change is judged by besides our own rules, as the configuration and the task say it. */
export function judgedBy(settings: Settings): DiffOptions {
  const { critical, gates, tests, diff_lines } = settings;
  return {
    ...(gates !== undefined && { gates }),
    ...(tests !== undefined && { tests }),
    ...(critical !== undefined && { isCritical: critical }),
    ...(diff_lines !== undefined && { diff_lines }),
    deciding: decidingHere(settings),
  };
}

/** The configuration under a name of its own, and what verifiers and a reviewer run by; not the tests. */
function decidingHere({ file, tests, verifiers, review }: Settings): readonly string[] {
  const reviewer = review !== undefined && 'command' in review.agent ? (review.agent.command ?? []) : [];
  const commands = [...verifiers.map(({ run }) => run), lineOf(reviewer)];
  const named = commands.flatMap(decidingFiles);
  const deciding = named.filter((path) => !isTestFile(path, tests));
  return [...(file === undefined ? [] : [file]), ...new Set(deciding)];
}
