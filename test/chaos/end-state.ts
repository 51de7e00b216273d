import { readBlock } from '../../src/github/show/block.ts';
import type { AppFixture } from '../app/app-fixture.ts';
import { readFinalState } from '../app/final-state.ts';
import { at } from '../app/person.ts';
import type { PullClient } from '../app/pull-client.ts';

/** Everything a person sees of a run at its end, without what differs between sessions. */
export interface EndState {
  readonly run: unknown;
  /** What was decided, which no refusal of GitHub may change. */
  readonly decided: unknown;
  /** The body without the hidden state, and that state. */
  readonly body: string;
  readonly block: unknown;
  readonly title: string;
  /** What the App wrote in comments, as a set of paragraphs: replies that wait may share a comment. */
  readonly comments: readonly string[];
  /**
   * The checks of the head, and the decisions on earlier commits that were not taken back. Whether a verifier
   * is shown on a commit that is soon replaced depends on how soon.
   */
  readonly checks: readonly string[];
  readonly merged: boolean;
  /** Check runs of the head that are there twice. Two Apps cannot always avoid that; GitHub shows the newest. */
  readonly doubled: readonly string[];
  /** The same of the other runs, by their numbers: what took the place of the run, or depends on it. */
  readonly others: readonly unknown[];
  /** What became of the issues, and what the App said there. */
  readonly issues: readonly string[];
  /** Processes and temporary files that the App left. */
  readonly left: readonly string[];
}

export async function readEndState(fixture: AppFixture, pull: PullClient): Promise<Omit<EndState, 'left'>> {
  const { ada } = fixture;
  const { data } = await ada.octokit.rest.issues.listForRepo({ ...at, state: 'all', per_page: 100 });
  const sorted = data.toSorted((one, other) => one.number - other.number);
  const others = sorted.filter((each) => each.pull_request && each.number !== pull.number);
  const issues = sorted.filter((each) => !each.pull_request);
  const run = await readRun(fixture, pull);
  const beside = await Promise.all(others.map(({ number }) => readRun(fixture, ada.looksAt(number))));
  return {
    ...run,
    decided: [run, ...beside].map(({ decided }) => decided),
    doubled: [run, ...beside].flatMap(({ doubled }) => doubled),
    others: beside.map(({ decided: _, doubled: __, ...other }) => other),
    issues: await Promise.all(
      issues.map(async ({ number, title, state, state_reason }) => {
        const said = await ada.looksAt(number).appComments();
        return [`${title}: ${state} ${state_reason}`, ...said.map(plainWith([])).sort()].join('\n\n');
      }),
    ),
  };
}

/** What is to be seen of one run. */
async function readRun(
  { ada }: AppFixture,
  pull: PullClient,
): Promise<Omit<EndState, 'left' | 'others' | 'issues'>> {
  const { body, title, merged, commits, head } = await pull.details();
  const place = { ...at, pull_number: pull.number, per_page: 100 };
  const { data } = await ada.octokit.rest.pulls.listCommits(place);
  const shas = data.map(({ sha }) => sha);
  if (shas.length !== commits)
    throw new Error(`#${pull.number} has ${commits} commits, ${shas.length} listed`);
  const plain = plainWith(shas);
  const texts = await pull.appComments();
  const run = await readFinalState(ada, pull);
  const { phase, iteration } = run.state;
  return {
    run: {
      ...run,
      problems: undefined,
      checks: undefined,
      state: {
        ...run.state,
        owed: run.state.owed.flatMap((effect) => (effect.do === 'withdraw' ? [] : [effect.do])),
      },
    },
    decided: {
      phase,
      iteration,
      problems: run.problems.map((problem) => problem.replaceAll(/\d+/g, '<n>')),
      said: run.said,
      pulls: run.pulls,
    },
    body: plain((body ?? '').replaceAll(/<!--[\s\S]*?-->/g, '')),
    block: plainValue(readBlock(body ?? ''), plain),
    title,
    merged,
    doubled: run.checks.filter((check, index) => run.checks.indexOf(check) !== index),
    comments: texts.flatMap((text) => plain(text).split(/\n\n+/)).sort(),
    checks: (await Promise.all(shas.map((sha) => checksOf(ada, sha, sha === head.sha))))
      .flat()
      .map(plain)
      .sort(),
  };
}

async function checksOf(
  { octokit }: AppFixture['ada'],
  ref: string,
  isHead: boolean,
): Promise<readonly string[]> {
  const place = { ...at, ref, filter: 'latest', per_page: 100 } as const;
  const { data } = await octokit.rest.checks.listForRef(place);
  return data.check_runs
    .filter(({ name, conclusion }) => isHead || (conclusion !== 'cancelled' && !name.includes('/')))
    .map(
      ({ name, conclusion, output }) => `${ref} ${name}: ${conclusion}, ${output.title}\n${output.summary}`,
    );
}

/** The same for data: numbers that identify something or measure time are left out. */
function plainValue(value: unknown, plain: (text: string) => string): unknown {
  if (typeof value === 'string') return plain(value);
  if (Array.isArray(value)) return value.map((each) => plainValue(each, plain));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !/(^|_)(id|seq|s|seal)$|sha256$/.test(key));
  return Object.fromEntries(kept.map(([key, each]) => [key, plainValue(each, plain)]));
}

/** Replaces what cannot be equal in two sessions: commits become their place in the branch. */
function plainWith(shas: readonly string[]): (text: string) => string {
  const placeOf = (found: string) => {
    const index = shas.findIndex((sha) => sha.startsWith(found));
    if (index !== -1) return `<commit ${index}>`;
    return /[a-f]/.test(found) ? '<commit>' : found;
  };
  return (text) =>
    text
      .replaceAll(/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?( ?UTC|Z)?/g, '<time>')
      .replaceAll(/127\.0\.0\.1:\d+/g, '<host>')
      .replaceAll(/[^\s"]+\/barrier-\w+\.sock/g, '<barrier>')
      .replaceAll(/\b[0-9a-f]{64}\b/g, '<hash>')
      .replaceAll(/\b[0-9a-f]{7,40}\b/g, placeOf)
      .replaceAll(/`\d{7}`/g, '`<commit>`')
      .replaceAll(/(issuecomment-|pullrequestreview-|\/runs\/)\d+/g, '$1<id>')
      .replaceAll(/\b\d+(\.\d+)? (ms|s|min|minutes?|seconds?)\b/g, '<duration>')
      .replaceAll(/(approval|interrupt|permission|question):\d+:\d+/g, '$1:<id>');
}
