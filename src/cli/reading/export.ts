import { writeFile } from 'node:fs/promises';
import { visible } from '../../text/visible.ts';
import type { CommandFile } from '../terminal/command-file.ts';
import { Ended, exitCodes } from '../terminal/exit.ts';
import { jsonText, runOption } from '../terminal/output.ts';
import { findRun } from '../terminal/which-run.ts';
import { withGitHub } from './with-reader.ts';

/** `coxswain export`. */
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
    if (doubt !== undefined) process.stderr.write(visible(`Not verified: ${doubt}.\n`));
    return exitCodes.done;
  },
};

const refuse = (file: string) => (cause: unknown) => {
  throw new Ended(exitCodes.refused, `could not write ${file}`, { cause });
};
