import type { Command as CommandLine } from 'commander';
import { NotAvailable } from '../../doors/reading/reader.ts';
import type { InboxEntry } from '../../doors/report/report-shapes.ts';
import {
  type BatchCommand,
  type BatchDoor,
  type LeftOut,
  type Settled,
  sayEach,
  settles,
  usualMost,
  whyAlone,
} from '../../doors/speech/batch.ts';
import { sayDraftOnce } from '../../doors/speech/say-draft.ts';
import { shortSha } from '../../steering/phrases/phrases.ts';
import { visible } from '../../text/characters.ts';
import { type Filters, filterOf, filterOptions } from '../reading/lists.ts';
import { withGitHub } from '../reading/with-reader.ts';
import { confirmed } from '../terminal/ask-person.ts';
import { formatOf, print, table } from '../terminal/command-output.ts';
import { Ended, exitCodes, UsageError } from '../terminal/exit.ts';
import { endOfFault } from '../terminal/github-faults.ts';
import { givenEnvironment, webFrom } from '../terminal/own-environment.ts';
import { personOn } from '../terminal/signed-in-person.ts';
import { placeCalled, type RunPlace, repositoryNamed, runName } from '../terminal/which-run.ts';
import { type Act, drafted, type OwnDraft, type Speaking, saidText, voiceOf, waitOf } from './say-command.ts';

export interface BatchOptions extends Filters {
  readonly output: string;
  readonly wait: string | false;
  readonly max?: string;
  readonly yes?: boolean;
}

export function batchOptions(command: CommandLine): void {
  command.option('--all', 'every run that waits for this: shows which, asks once, says it one by one');
  filterOptions(command).option('--max <n>', 'with --all: how many at most', String(usualMost));
  if (!command.options.some(({ long }) => long === '--yes'))
    command.option('-y, --yes', 'with --all: ask nothing');
}

/**
 * Says the same on every run that waits for it. They are shown before, and what was shown is what is said: an
 * approval names the commit. What is risky or not verified is left to people who look at it alone.
 */
export async function settleAll(options: BatchOptions, doing: BatchAct): Promise<number> {
  const { output, repo, yes = false, wait, max = String(usualMost) } = options;
  formatOf(output, fields);
  const waitMs = waitOf(wait) ?? 0;
  const isMeant = filterOf(options);
  if (!/^[1-9]\d{0,3}$/.test(max)) throw new UsageError(`--max is ${JSON.stringify(max)}: expected a number`);
  if (repo !== undefined) await repositoryNamed(repo);
  const person = await personOn(webFrom(givenEnvironment()));
  return withGitHub(person, async (reader) => {
    const { entries, left_out } = await reader.inbox(repo);
    const meant = entries.filter((entry) => isMeant(entry) && settles(doing.action, entry));
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
    const saying = sayAll({ reader, person, doing }, ready, waitMs, tell);
    const fault: unknown = await saying.catch((thrown: unknown) => thrown);
    const code = summed(results, output);
    // Whoever runs it again goes on where it stopped.
    if (fault !== undefined) throw fault;
    return code;
  });
}

interface BatchAct extends Act {
  readonly action: BatchCommand;
}

interface Batch extends Speaking {
  readonly doing: BatchAct;
}

interface Skipped extends LeftOut {
  readonly place: RunPlace;
}

/** Asks GitHub and the ledgers again: what a list says is not proven. */
async function lookAtEach(
  batch: Batch,
  entries: readonly InboxEntry[],
  max: number,
): Promise<readonly (OwnDraft | Skipped)[]> {
  const looked: (OwnDraft | Skipped)[] = [];
  for (const { run } of entries.slice(0, max))
    looked.push(await lookAt(batch, placeCalled(run, batch.person.web)));
  return looked;
}

async function lookAt(batch: Batch, place: RunPlace): Promise<OwnDraft | Skipped> {
  try {
    return await drafted(batch, place, async (seen) => {
      const why = whyAlone(seen.report, await seen.doubt());
      if (why !== undefined) throw new Ended(exitCodes.refused, why);
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

function overview(action: string, ready: readonly OwnDraft[], skipped: readonly Skipped[]): string {
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

async function sayAll(
  batch: Batch,
  ready: readonly OwnDraft[],
  waitMs: number,
  tell: (result: Result) => void,
): Promise<void> {
  const door: BatchDoor<OwnDraft> = {
    look: ({ place }) => lookAt(batch, place),
    say: (draft, left) => sayDraftOnce(voiceOf(batch), draft, left),
  };
  for await (const settled of sayEach(door, ready, waitMs)) tell(resultOf(settled, batch.doing));
}

interface Result {
  readonly run: string;
  readonly action: string;
  readonly status: Settled<OwnDraft>['status'];
  /** Where the comment is on the web; null if none was posted. */
  readonly comment: string | null;
  readonly result: string;
}

const fields = ['run', 'action', 'status', 'comment', 'result'];

function resultOf(settled: Settled<OwnDraft>, { action }: BatchAct): Result {
  const { place } = settled.draft;
  if (settled.status === 'left_out') return leftOut({ place, why: settled.why });
  const { status, comment } = settled;
  return { run: runName(place), action, status, comment, result: saidText(settled) };
}

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
