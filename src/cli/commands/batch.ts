import { setTimeout } from 'node:timers/promises';
import type { Command as CommandLine } from 'commander';
import { NotAvailable } from '../../doors/reading/reader.ts';
import type { InboxEntry } from '../../doors/report/report-shapes.ts';
import { type Posted, postedOf } from '../../doors/speech/post-comment.ts';
import { shortSha } from '../../steering/phrases/phrases.ts';
import { visible } from '../../text/characters.ts';
import { type Filters, filterOf, filterOptions } from '../reading/lists.ts';
import { withGitHub } from '../reading/with-reader.ts';
import { confirmed } from '../terminal/ask-person.ts';
import { formatOf, print, table } from '../terminal/command-output.ts';
import { Ended, exitCodes, UsageError } from '../terminal/exit.ts';
import { endOfFault } from '../terminal/github-faults.ts';
import { givenEnvironment, webFrom } from '../terminal/own-environment.ts';
import { type Person, personOn } from '../terminal/signed-in-person.ts';
import { placeCalled, type RunPlace, repositoryNamed, runName } from '../terminal/which-run.ts';
import {
  type Act,
  type Draft,
  drafted,
  type Said,
  type Seen,
  type Speaking,
  said,
  waitOf,
} from './say-command.ts';

export interface BatchOptions extends Filters {
  readonly output: string;
  readonly wait: string | false;
  readonly max?: string;
  readonly yes?: boolean;
}

/** What many runs can be settled with at once. */
const asked: Partial<Record<string, readonly InboxEntry['kind'][]>> = {
  approve: ['approval', 'stage'],
  retry: ['interrupt'],
  abandon: ['interrupt'],
};

export function batchOptions(command: CommandLine): void {
  command.option('--all', 'every run that waits for this: shows which, asks once, says it one by one');
  filterOptions(command).option('--max <n>', 'with --all: how many at most', '50');
  if (!command.options.some(({ long }) => long === '--yes'))
    command.option('-y, --yes', 'with --all: ask nothing');
}

/**
 * Says the same on every run that waits for it. They are shown before, and what was shown is what is said: an
 * approval names the commit. What is risky or not verified is left to people who look at it alone.
 */
export async function settleAll(options: BatchOptions, doing: Act): Promise<number> {
  const { output, repo, yes = false, wait, max = '50' } = options;
  formatOf(output, fields);
  const waitMs = waitOf(wait) ?? 0;
  const isMeant = filterOf(options);
  if (!/^[1-9]\d{0,3}$/.test(max)) throw new UsageError(`--max is ${JSON.stringify(max)}: expected a number`);
  if (repo !== undefined) await repositoryNamed(repo);
  const person = await personOn(webFrom(givenEnvironment()));
  return withGitHub(person, async (reader) => {
    const { entries, left_out } = await reader.inbox(repo);
    const kinds = asked[doing.action];
    const meant = entries.filter((entry) => isMeant(entry) && (kinds?.includes(entry.kind) ?? true));
    const looked = await lookAtEach({ reader, person, doing }, meant, Number(max));
    const ready = looked.filter((one) => 'text' in one);
    const skipped = looked.filter((one) => 'why' in one);
    if (meant.length > looked.length)
      process.stderr.write(
        `${meant.length - looked.length} more are not looked at: --max raises the limit.\n`,
      );
    process.stderr.write(visible(overview(doing.action, ready, skipped)));
    for (const sentence of left_out) process.stderr.write(visible(`${sentence}\n`));
    const results: Result[] = skipped.map(leftOut);
    if (ready.length > 0) {
      const question = `Say /${doing.action} on ${ready.length === 1 ? 'this run' : `these ${ready.length} runs`}?`;
      if (!(await confirmed(question, yes))) throw new Ended(exitCodes.refused, 'nothing was posted');
    }
    const tell = (result: Result) => {
      results.push(result);
      if (output === 'table') process.stdout.write(visible(`${result.run}: ${result.result}\n`));
    };
    const saying = sayEach({ reader, person, doing }, ready, waitMs, tell);
    const fault: unknown = await saying.catch((thrown: unknown) => thrown);
    const code = summed(results, output);
    // Whoever runs it again goes on where it stopped.
    if (fault !== undefined) throw fault;
    return code;
  });
}

interface Batch extends Speaking {
  readonly doing: Act;
}

interface Skipped {
  readonly place: RunPlace;
  readonly why: string;
}

/** Asks GitHub and the ledgers again: what a list says is not proven. */
async function lookAtEach(
  batch: Batch,
  entries: readonly InboxEntry[],
  max: number,
): Promise<readonly (Draft | Skipped)[]> {
  const looked: (Draft | Skipped)[] = [];
  for (const { run } of entries.slice(0, max))
    looked.push(await lookAt(batch, placeCalled(run, batch.person.web)));
  return looked;
}

async function lookAt(batch: Batch, place: RunPlace): Promise<Draft | Skipped> {
  try {
    return await drafted(batch, place, async (seen) => {
      await requireHarmless(seen);
      return batch.doing.command(seen);
    });
  } catch (fault) {
    // What is wrong with the command line is wrong for all of them.
    const known = endOfFault(fault) ?? fault;
    const isOfRun = known instanceof Ended && known.code === exitCodes.refused;
    if (known instanceof NotAvailable || isOfRun) return { place, why: known.message };
    throw fault;
  }
}

/** Throws `Ended` for what people have to look at alone. */
async function requireHarmless({ report, doubt }: Seen): Promise<void> {
  const unsure = await doubt();
  const risks = [report?.approval_request?.risk_level, report?.risk_level].filter((risk) => risk !== null);
  const risk = risks.find((each) => each !== 'low' && each !== 'medium');
  if (unsure !== undefined) throw new Ended(exitCodes.refused, `not verified: ${unsure}`);
  if (!report?.approval_request) throw new Ended(exitCodes.refused, 'it no longer waits for anybody');
  if (risk !== undefined)
    throw new Ended(exitCodes.refused, `its risk is ${risk}, so it has to be looked at alone`);
}

function overview(action: string, ready: readonly Draft[], skipped: readonly Skipped[]): string {
  const rows = ready.map(({ place, report: { head_sha, title, approval_request } }) => [
    ...[runName(place), shortSha(head_sha), approval_request?.risk_level ?? '', title],
  ]);
  const others = skipped.map(({ place, why }) => [runName(place), why]);
  const parts = [
    rows.length === 0
      ? `No run can be settled by /${action} now.`
      : table(['run', 'commit', 'risk', 'title'], rows),
    ...(others.length === 0 ? [] : [`Left out:\n${table(['run', 'why'], others)}`]),
  ];
  return `${parts.join('\n\n')}\n\n`;
}

/** GitHub asks for a second between writes. */
const betweenMs = 1_000;

/**
 * One after the other, each if it is still as it was shown. Once one is not taken up in time, nobody is
 * there, and the others are only posted.
 */
async function sayEach(
  batch: Batch,
  ready: readonly Draft[],
  waitMs: number,
  tell: (result: Result) => void,
): Promise<void> {
  let left = waitMs;
  for (const [nth, draft] of ready.entries()) {
    if (nth > 0) await setTimeout(betweenMs);
    const now = await lookAt(batch, draft.place);
    const why = 'why' in now ? now.why : changedSince(draft, now);
    if (why !== undefined) {
      tell(leftOut({ place: draft.place, why }));
      continue;
    }
    const { id = '', created_at = '' } = draft.report.approval_request ?? {};
    // The number of the entry that asked: what was said before may have been answered since.
    const seq = Number(id.split(':')[2]);
    const before = await saidBefore(batch.person, draft, created_at);
    const result = await said(batch, draft, { waitMs: left, before, seq });
    if (result.status === 'posted') left = 0;
    tell({ run: runName(draft.place), action: batch.doing.action, ...result });
  }
}

function changedSince(shown: Draft, now: Draft): string | undefined {
  const isSame =
    now.text === shown.text && now.report.approval_request?.id === shown.report.approval_request?.id;
  return isSame ? undefined : 'it asks for something else than was shown';
}

/** Finds the same comment of this person since they were asked, as there is after Ctrl-C. */
async function saidBefore(
  { octokit }: Person,
  { place: { owner, repo, number }, text, user_id }: Draft,
  asked_at: string,
): Promise<Posted | undefined> {
  const wanted = { owner, repo, issue_number: number, since: asked_at, per_page: 100 };
  const comments = await octokit.paginate(octokit.rest.issues.listComments, wanted);
  const found = comments.findLast(
    ({ user, body = '', created_at }) =>
      user?.id === user_id && body.trim() === text && Date.parse(created_at) >= Date.parse(asked_at) - 1000,
  );
  return found && postedOf(found, true);
}

interface Result {
  readonly run: string;
  readonly action: string;
  readonly status: Said['status'] | 'left_out';
  /** Where the comment is on the web; null if none was posted. */
  readonly comment: string | null;
  readonly result: string;
}

const fields = ['run', 'action', 'status', 'comment', 'result'];

function leftOut({ place, why }: Skipped): Result {
  return { run: runName(place), action: 'none', status: 'left_out', comment: null, result: why };
}

function summed(results: readonly Result[], output: string): number {
  const count = (status: Result['status']) => results.filter((result) => result.status === status).length;
  const [accepted, refused, waiting] = [count('accepted'), count('refused'), count('posted')];
  const sentence = `${accepted} settled, ${refused} refused, ${waiting} not taken up yet, ${count('left_out')} left out.\n`;
  if (output === 'table') process.stdout.write(sentence);
  else print(output, { value: results, fields, text: () => '' });
  if (refused > 0) return exitCodes.refused;
  return waiting > 0 ? exitCodes.waiting : exitCodes.done;
}
