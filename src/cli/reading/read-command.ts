import type { Command } from 'commander';
import type { Reading, RunPlace, RunReader } from '../../doors/reading/reader.ts';
import { visible } from '../../text/visible.ts';
import type { CommandFile } from '../terminal/command-file.ts';
import {
  formatOf,
  openOnWeb,
  outputOption,
  type Printed,
  print,
  type RunOptions,
  runOption,
  serverOption,
  webOption,
} from '../terminal/output.ts';
import { findRun } from '../terminal/which-run.ts';
import { withReader } from './with-reader.ts';

export interface ReadOptions extends RunOptions {
  readonly server?: string;
  readonly web?: true;
}

/** A command that reads one run. */
interface ReadCommand<Options, Report extends object>
  extends Pick<CommandFile, 'about' | 'examples' | 'more'>,
    Pick<Printed, 'colourOf'> {
  takes?(command: Command): void;
  /** The names of what `-o json` prints. */
  readonly fields: readonly string[];
  /** What `--web` opens, below the pull request. */
  readonly page: '' | '/files' | '/checks';
  /** Throws `UsageError` for options that mean nothing, before anything is asked. */
  check?(options: Options): void;
  read(reader: RunReader, at: RunPlace, options: Options): Promise<Reading<Report>>;
  text(report: Report, options: Options): string;
}

/** The command with what all of them have: which run, in which format, from where. */
export function readCommand<Options extends ReadOptions, Report extends object>({
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
      if (doubt !== undefined) process.stderr.write(visible(`Not verified: ${doubt}.\n`));
      return 0;
    },
  };
}
