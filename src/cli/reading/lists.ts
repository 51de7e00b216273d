import type { Command } from 'commander';
import type { Listing, RunReader } from '../../doors/reading/reader.ts';
import {
  type InboxEntry,
  inboxEntryShape,
  type RunSummary,
  runSummaryShape,
} from '../../doors/report/report-shapes.ts';
import { severities } from '../../steering/shapes/gate-rules.ts';
import { durationText } from '../../text/amounts.ts';
import { visible } from '../../text/characters.ts';
import { timeText } from '../../words/parts/sanitize.ts';
import { type CommandFile, nameOption } from '../terminal/command-file.ts';
import {
  formatOf,
  openOnWeb,
  outputOption,
  print,
  serverOption,
  table,
  webOption,
} from '../terminal/command-output.ts';
import { givenEnvironment, webFrom } from '../terminal/own-environment.ts';
import { personOn } from '../terminal/signed-in-person.ts';
import { repositoryNamed } from '../terminal/which-run.ts';
import { withReader } from './with-reader.ts';

/** Which runs are meant. */
export interface Filters {
  readonly repo?: string;
  readonly kind?: string;
  readonly risk?: string;
}

/** What of a run is asked of people. */
const kinds = inboxEntryShape.shape.kind.options;

export function filterOptions(command: Command): Command {
  return command
    .option('--repo <owner/name>', 'only of this repository')
    .option('--kind <kind>', `only what asks for this: ${kinds.join(', ')}`)
    .option('--risk <risk>', `only of this risk: ${severities.join(', ')}`);
}

/** Whether a run is meant. Throws `UsageError` for what no run can be. */
export function filterOf({ kind, risk }: Filters): (entry: InboxEntry) => boolean {
  if (kind !== undefined) nameOption('--kind', kind, kinds);
  if (risk !== undefined) nameOption('--risk', risk, severities);
  return (entry) => (!kind || entry.kind === kind) && (!risk || entry.risk_level === risk);
}

interface ListOptions extends Filters {
  readonly output: string;
  readonly server?: string;
  readonly web?: true;
}

const limits =
  "Without a server, it asks GitHub's search, which lists 1,000 at most; a server, or --repo, may show more. What " +
  'is listed so is what the pull requests say, which anybody with write access can change.';

export const inbox: CommandFile<ListOptions> = {
  about: `Lists the runs of all your repositories that wait for people, riskiest first, then oldest. ${limits}`,
  examples: {
    inbox: 'all that you can see',
    'inbox --repo acme/api --kind approval': 'of one repository, only approvals',
    'inbox -o json=run,reason,risk_level': 'for a script',
  },
  takes: (command) =>
    [filterOptions, outputOption, serverOption, webOption].reduce((all, add) => add(all), command),
  run: (options) =>
    listed(options, {
      fields: Object.keys(inboxEntryShape.shape),
      isMeant: filterOf(options),
      list: (reader) => reader.inbox(options.repo),
      headings: ['run', 'asks for', 'risk', 'for', 'title'],
      row: ({ run, kind, risk_level, waiting_since, title }, now) => {
        return [run, kind, risk_level ?? 'unknown', waited(waiting_since, now), title];
      },
      none: 'No run waits for people.',
    }),
};

export const runs: CommandFile<ListOptions> = {
  about: `Lists the runs of all your repositories that have not ended. ${limits}`,
  examples: { runs: 'all that you can see', 'runs --repo acme/api -o json': 'of one repository' },
  takes: (command) => {
    command.option('--repo <owner/name>', 'only of this repository');
    for (const option of [outputOption, serverOption, webOption]) option(command);
  },
  run: (options) =>
    listed<RunSummary>(options, {
      fields: Object.keys(runSummaryShape.shape),
      list: (reader) => reader.runs(options.repo),
      headings: ['run', 'phase', 'iteration', 'title'],
      row: ({ run, phase, iteration, max_iterations, title }) => {
        return [run, phase, `${iteration}/${max_iterations}`, title];
      },
      none: 'There is no run.',
    }),
};

interface ListSpec<Entry extends RunSummary> {
  readonly fields: readonly string[];
  list(reader: RunReader): Promise<Listing<Entry>>;
  isMeant?(entry: Entry): boolean;
  readonly headings: readonly string[];
  row(entry: Entry, now: number): readonly string[];
  /** What is said if there is nothing. */
  readonly none: string;
}

/** A server that works has looked through all repositories since, even where it is told of what happens. */
const oldMs = 30 * 60_000;

async function listed<Entry extends RunSummary>(
  { output, repo, server, web }: ListOptions,
  { fields, list, headings, row, none, isMeant = () => true }: ListSpec<Entry>,
): Promise<number> {
  formatOf(output, fields);
  const site = webFrom(givenEnvironment());
  if (repo !== undefined) await repositoryNamed(repo);
  if (web) {
    const place = repo === undefined ? '' : ` repo:${repo}`;
    await openOnWeb(`${site}/pulls?q=${encodeURIComponent(`is:pr is:open label:coxswain${place}`)}`);
    return 0;
  }
  const person = await personOn(site);
  const { entries: all, as_of, left_out } = await withReader(person, { server }, list);
  const entries = all.filter(isMeant);
  const text = () => {
    const now = Date.now();
    const isOld = as_of !== null && now - Date.parse(as_of) > oldMs;
    const rows = entries.map((entry) => row(entry, now));
    const lines = rows.length === 0 ? none : table(headings, rows);
    return isOld ? `${lines}\n\nThe server last asked GitHub at ${timeText(as_of)}.` : lines;
  };
  print(output, { value: entries, fields, text });
  for (const sentence of left_out) process.stderr.write(visible(`${sentence}\n`));
  return 0;
}

/** How long it has waited, as in `3 h 20 min`; clocks differ, so it is never less than nothing. */
function waited(since: string, now: number): string {
  return durationText(Math.max(0, Math.round((now - Date.parse(since)) / 1000)));
}
