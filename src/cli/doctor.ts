import { lookAtActions } from './doctor/actions.ts';
import { lookAt } from './doctor/examine.ts';
import { problemsIn, reportOf } from './doctor/finding.ts';
import type { CommandFile } from './terminal/command-file.ts';
import { UsageError } from './terminal/exit.ts';
import { givenEnvironment, letProgramsRead, ownEnvironment } from './terminal/own-environment.ts';

/** `coxswain doctor`. */
export const doctor: CommandFile<Options> = {
  about:
    "Looks at what makes the App's check a gate, and at what keeps runs from working: the environment, this " +
    "machine and its sandbox, the App's permissions, events and webhook, and in each repository the " +
    'configuration, branch rules, deploy keys and workflows. It changes nothing, and exits with 1 if it finds a ' +
    'problem. Without --action it reads the same environment as `coxswain serve`, which may keep running.',
  takes: (command) =>
    command
      .option('--repo <owner/name>', 'only this repository (default: every one that the App is installed on)')
      .option(
        '--action',
        'the repository of the Action, which has no App: its workflow, its secrets and the settings of Actions, ' +
          'as far as your token in GH_TOKEN sees them',
      )
      .option('-o, --output <format>', 'text or json', 'text'),
  examples: {
    doctor: 'the App and all of its repositories',
    'doctor --action --repo acme/api': 'a repository that works with the Action',
    'doctor -o json': 'the findings as JSON',
  },
  run: examine,
};

interface Options {
  readonly repo?: string;
  readonly action?: boolean;
  readonly output: string;
}

async function examine(values: Options): Promise<number> {
  if (values.output !== 'text' && values.output !== 'json')
    throw new UsageError(`--output is ${JSON.stringify(values.output)}: expected text or json`);
  if (values.repo !== undefined && !/^[\w-]+\/[\w.-]+$/.test(values.repo))
    throw new UsageError(`--repo is ${JSON.stringify(values.repo)}: expected owner/name`);
  letProgramsRead();
  const examined = await (values.action
    ? lookAtActions(givenEnvironment(), requiredName(values.repo))
    : lookAt(ownEnvironment(), values.repo));
  const problems = problemsIn(examined);
  const json = `${JSON.stringify({ version: 1, problems, examined }, null, 2)}\n`;
  process.stdout.write(values.output === 'json' ? json : reportOf(examined));
  return problems === 0 ? 0 : 1;
}

function requiredName(repository: string | undefined): string {
  if (repository !== undefined) return repository;
  throw new UsageError('--action is about one repository: expected --repo as well, as in --repo acme/api');
}
