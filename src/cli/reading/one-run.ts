import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import {
  NotAvailable,
  type Reading,
  type RunPlace,
  type RunReader,
  usualLines,
  wholeLines,
} from '../../doors/reading/reader.ts';
import {
  auditShape,
  diffShape,
  historyShape,
  logsShape,
  type RunReport,
  type RunSummary,
  runShape,
} from '../../doors/report/report-shapes.ts';
import { shortSha } from '../../steering/phrases/phrases.ts';
import type { VerifierOutput } from '../../steering/shapes/attempt-result.ts';
import { fileStatusLine } from '../../words/parts/common-phrases.ts';
import { literal, timeText } from '../../words/parts/sanitize.ts';
import { failedRunsText, failuresText, verdictLine } from '../../words/parts/tests.ts';
import type { CommandFile } from '../terminal/command-file.ts';
import {
  formatOf,
  forTerminal,
  indented,
  jsonText,
  openOnWeb,
  outputOption,
  type Printed,
  print,
  type RunOptions,
  runOption,
  serverOption,
  table,
  tellDoubt,
  webOption,
} from '../terminal/command-output.ts';
import { Ended, exitCodes, UsageError } from '../terminal/exit.ts';
import { findRun } from '../terminal/which-run.ts';
import { withGitHub, withReader } from './with-reader.ts';

const fieldsOf = ({ shape }: { readonly shape: object }) => Object.keys(shape);

/** What is known if there is no ledger to be read. */
const isWhole = (report: RunReport | RunSummary): report is RunReport => 'status_text' in report;

const verdictColour = (line: string) => {
  if (line.startsWith('[PASS]')) return 'green';
  return line.startsWith('[FAIL]') ? 'red' : undefined;
};

const proof =
  'Without a server, a run is verified if a check run of its App names the commit of its ledger, or one since ' +
  'which nothing has changed in it. Everything else is what anybody with write access may have written, and is ' +
  'said to be not verified. The App is the one that opened the pull request; for one that people opened, ' +
  'COXSWAIN_APP names it.';

export const status = readCommand({
  about: `Shows where a run stands. ${proof}`,
  examples: {
    status: "the run of this branch's pull request",
    'status --run acme/api#7 -o json=phase,head_sha': 'two facts of another one, for a script',
    'status --web': 'its pull request in the browser',
  },
  fields: fieldsOf(runShape),
  page: '',
  read: (reader, at) => reader.run(at),
  text: (report) => (isWhole(report) ? report.status_text : briefStatus(report)),
  colourOf: (line) => (line.startsWith('Status: ') ? 'bold' : verdictColour(line)),
});

function briefStatus({ phase, run, iteration, max_iterations, title, head_sha }: RunSummary): string {
  const lines = [`Status: ${phase}`, `Run: ${run}, iteration ${iteration} of ${max_iterations}`];
  return [...lines, `Task: ${title}`, `Head: ${shortSha(head_sha)}`].join('\n');
}

export const why = readCommand({
  about: `Says what a run is missing, and how sure it is of its work. ${proof}`,
  examples: {
    why: 'what this run is waiting for',
    'why -o json=score,gates': 'the score, and what gates found',
  },
  fields: fieldsOf(runShape),
  page: '/checks',
  read: async (reader, at) => {
    const { report, doubt } = await reader.run(at);
    if (isWhole(report)) return { report, doubt };
    throw new NotAvailable(`what ${report.run} is missing is not known: ${doubt}`);
  },
  text: ({ why_text }) => forTerminal(why_text),
});

interface DiffOptions extends ReadOptions {
  readonly full?: true;
  readonly file?: string;
  readonly maxLines?: string;
}

const linesIn = ({ full, maxLines }: DiffOptions) =>
  maxLines === undefined ? (full ? wholeLines : usualLines) : Number(maxLines);

export const diff = readCommand<DiffOptions, (typeof diffShape)['_output']>({
  about:
    'Shows what a run has changed: a summary, or with --full the change itself. Every file is listed; of long ' +
    'changes the largest are cut first, and end in "... (truncated)". The repository is kept in the cache of ' +
    'your account, so the first time takes longer.',
  takes: (command) =>
    command
      .option('--full', `the change itself, up to ${wholeLines} lines of it`)
      .option('--file <path>', 'only this path, folder or glob')
      .option('--max-lines <n>', 'the change itself, up to so many lines'),
  examples: {
    diff: 'which files changed, and how much',
    'diff --full | less': 'all of it',
    "diff --file 'src/**' --max-lines 200": 'some of it',
  },
  fields: fieldsOf(diffShape),
  page: '/files',
  check: ({ maxLines }) => {
    if (maxLines !== undefined && !/^\d{1,6}$/.test(maxLines))
      throw new UsageError(`--max-lines is ${JSON.stringify(maxLines)}: expected a number up to 999999`);
  },
  read: (reader, at, options) => reader.diff(at, { file: options.file, lines: linesIn(options) }),
  text: ({ repository, summary, files, truncated }, { full, maxLines }) => {
    const lines = files.map((file) => `  ${fileStatusLine(file)}`);
    const listed = [`Repository: ${repository}`, `  Summary: ${summary}`, ...lines];
    if (!full && maxLines === undefined) return listed.join('\n');
    const more = truncated ? ['', 'It is too long to be shown in full: --web opens all of it.'] : [];
    return [...listed, '', ...files.map((file) => file.diff.trimEnd()), ...more].join('\n');
  },
  colourOf: (line) => {
    if (/^(?:diff --git|Repository:|\+\+\+ |--- )/.test(line)) return 'bold';
    if (line.startsWith('@@')) return 'cyan';
    return line.startsWith('+') ? 'green' : line.startsWith('-') ? 'red' : undefined;
  },
});

export const logs = readCommand<ReadOptions & { readonly verifier?: string }, (typeof logsShape)['_output']>({
  about: `Shows which tests failed and what the verifiers of a run printed last, of each stream the last 10,000 characters. ${proof}`,
  takes: (command) => command.option('--verifier <name>', 'only this one'),
  examples: { logs: 'all of them', 'logs --verifier test': 'one of them' },
  fields: fieldsOf(logsShape),
  page: '/checks',
  read: async (reader, at, { verifier }) => {
    const read = await reader.logs(at, verifier);
    if (read.report.verifiers.length > 0 || verifier === undefined) return read;
    throw new NotAvailable(`no verifier called ${verifier} has run`);
  },
  text: ({ verifiers }) => {
    if (verifiers.length === 0) return 'No verifier has run yet.';
    return verifiers
      .flatMap((each) => [verdictLine(each), ...failuresOf(each), ...streamsOf(each)])
      .join('\n');
  },
  colourOf: verdictColour,
});

function failuresOf(output: VerifierOutput): readonly string[] {
  const failures = failuresText(output, { most: 20, room: 10_000, format: literal });
  return [failures, failedRunsText(output, literal)].filter((text) => text !== '').map(indented);
}

function streamsOf(output: { readonly stdout: string; readonly stderr: string }): readonly string[] {
  return (['stdout', 'stderr'] as const).flatMap((stream) => {
    const text = output[stream].trimEnd();
    return text === '' ? [] : [`  ${stream}:`, indented(indented(text))];
  });
}

export const history = readCommand({
  about: `Lists what has happened to a run, oldest first, as its ledger has it. ${proof}`,
  examples: { history: 'of this run', 'history --run 7 -o json': 'of pull request 7 of this repository' },
  fields: fieldsOf(historyShape),
  page: '',
  read: (reader, at) => reader.history(at),
  text: ({ entries, omitted }) => {
    const rows = entries.map(({ at, subject }) => [timeText(at), subject]);
    return [
      ...(omitted > 0 ? [`${omitted} older ones are left out.`] : []),
      table(['when', 'what'], rows),
    ].join('\n');
  },
});

export const audit = readCommand({
  about: `Lists who has settled what of a run: when, of which commit, how and why. ${proof}`,
  examples: { audit: 'of this run', 'audit -o json=resolutions': 'for a report' },
  fields: fieldsOf(auditShape),
  page: '',
  read: (reader, at) => reader.audit(at),
  text: ({ resolutions, approvals }) => {
    const settled = resolutions.map((each) => [
      timeText(each.settled_at),
      each.by,
      each.how,
      each.kind,
      shortSha(each.head_sha),
      each.reason ?? each.reply ?? each.question ?? '',
    ]);
    const standing = approvals.map(({ at, by, from, head_sha, despite }) => [
      ...[timeText(at), by, `approval stands (${from})`, 'approval', shortSha(head_sha)],
      despite.length > 0 ? `despite ${despite.join(', ')}` : '',
    ]);
    const rows = [...settled, ...standing];
    if (rows.length === 0) return 'Nothing has been settled yet.';
    return table(['when', 'who', 'how', 'what', 'commit', 'why'], rows);
  },
});

export const exportRun: CommandFile<{ readonly run?: string }> = {
  about:
    'Prints a whole run as one JSON document: its state, every event and the log of its ledger. It reads the ledger ' +
    'by Git, whether there is a server or not; `trust` says whether a check run of the App proves it.',
  takes: (command) => {
    command.argument('[file]', 'where to write it; the file must not exist yet (default: stdout)');
    runOption(command);
  },
  examples: {
    'export run-7.json --run acme/api#7': 'to keep it',
    'export | jq .state.phase': 'for a script',
  },
  run: async (options, file) => {
    const { place, person } = await findRun(options.run);
    const { report, doubt } = await withGitHub(person, (reader) => reader.whole(place));
    const text = `${jsonText(report)}\n`;
    if (file === undefined) process.stdout.write(text);
    else await writeFile(file, text, { flag: 'wx' }).catch(refuse(file));
    tellDoubt(doubt);
    return exitCodes.done;
  },
};

const refuse = (file: string) => (cause: unknown) => {
  throw new Ended(exitCodes.refused, `could not write ${file}`, { cause });
};

interface ReadOptions extends RunOptions {
  readonly server?: string;
  readonly web?: true;
}

/** A command that reads one run. */
interface ReadCommand<Options, Report extends object>
  extends Pick<CommandFile, 'about' | 'examples' | 'more'>,
    Pick<Printed, 'colourOf'> {
  takes?(command: Command): void;
  /** The fields that `-o json` prints, and that can be chosen from. */
  readonly fields: readonly string[];
  /** What `--web` opens, below the pull request. */
  readonly page: '' | '/files' | '/checks';
  /** Throws `UsageError` for options that mean nothing, before anything is asked. */
  check?(options: Options): void;
  read(reader: RunReader, at: RunPlace, options: Options): Promise<Reading<Report>>;
  text(report: Report, options: Options): string;
}

/** Adds what all of these commands take: which run, in which format, from where. */
function readCommand<Options extends ReadOptions, Report extends object>({
  about,
  examples,
  takes,
  fields,
  page,
  ...spec
}: ReadCommand<Options, Report>): CommandFile<Options> {
  return {
    about,
    examples,
    ...(spec.more && { more: spec.more }),
    takes: (command) => {
      takes?.(command);
      for (const option of [runOption, outputOption, serverOption, webOption]) option(command);
    },
    run: async (options) => {
      formatOf(options.output, fields);
      spec.check?.(options);
      const { place, person } = await findRun(options.run);
      const { web, owner, repo, number } = place;
      if (options.web) {
        await openOnWeb(`${web}/${owner}/${repo}/pull/${number}${page}`);
        return 0;
      }
      const { report, doubt } = await withReader(person, options, (reader) =>
        spec.read(reader, place, options),
      );
      const { colourOf } = spec;
      print(options.output, {
        ...{ value: report, fields, text: () => spec.text(report, options) },
        ...(colourOf && { colourOf }),
      });
      tellDoubt(doubt);
      return 0;
    },
  };
}
