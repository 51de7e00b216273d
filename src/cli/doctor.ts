import { readArguments, UsageError } from './arguments.ts';
import { lookAtActions } from './doctor/actions.ts';
import { lookAt } from './doctor/examine.ts';
import { problemsIn, reportOf } from './doctor/finding.ts';
import { givenEnvironment, letProgramsRead, ownEnvironment } from './own-environment.ts';

const help = `Looks at what makes the App's check a gate, and at what keeps runs from working: the environment,
this machine and its sandbox, the App's permissions, events and webhook, and in each repository the
configuration, branch rules, deploy keys and workflows. It changes nothing, and exits with 1 if it finds a
problem.

  coxswain doctor                       every repository that the App is installed on
  coxswain doctor --repo <owner/name>   only that one
  coxswain doctor --action --repo <owner/name>
                                        the repository of the Action, which has no App: its workflow, its
                                        secrets and the settings of Actions, as far as your token in GH_TOKEN
                                        sees them
  coxswain doctor -o json               the findings as JSON

Without --action it reads the same environment as \`coxswain serve\`, which may keep running.
`;

const options = {
  repo: { type: 'string' },
  action: { type: 'boolean', default: false },
  output: { type: 'string', short: 'o', default: 'text' },
} as const;

/** `coxswain doctor`: the number is the exit code. */
export async function doctor(argv: readonly string[]): Promise<number> {
  const parsed = readArguments(argv, { help, options });
  if (parsed === undefined) return 0;
  const { values } = parsed;
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
